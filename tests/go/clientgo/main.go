// Command clientgo runs client-go's own clients, informers and helpers against an API server and
// says, one line each, what worked. It shows that a server answers as client-go expects: the fake
// API server of this project is tested with it, and a real one passes it as well.
//
// The server's history must be short (some 200 events): expiry is brought about by writing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// suite holds what all checks use.
type suite struct {
	ctx      context.Context
	config   *rest.Config
	client   kubernetes.Interface
	dynamic  dynamic.Interface
	metadata metadata.Interface
	// streams says whether the server serves streaming lists.
	streams bool
	failed  int
}

// check runs one check in a namespace of its own and prints its outcome.
func (s *suite) check(name string, run func(s *suite, namespace string) error) {
	namespace := "check-" + name
	begin := time.Now()
	if err := run(s, namespace); err != nil {
		s.failed++
		fmt.Printf("FAIL %s: %v\n", name, err)
		return
	}
	fmt.Printf("ok   %s (%d ms)\n", name, time.Since(begin).Milliseconds())
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("FAIL setup:", err)
		os.Exit(2)
	}
	return value
}

func main() {
	url := flag.String("url", "", "address of the API server")
	token := flag.String("token", "", "bearer token")
	watchList := flag.Bool("watch-list", true, "let informers use streaming lists")
	streams := flag.Bool("server-watch-list", true, "the server serves streaming lists")
	flag.Parse()
	// Read by client-go when a feature is first asked for.
	os.Setenv("KUBE_FEATURE_WatchListClient", fmt.Sprint(*watchList))

	config := &rest.Config{Host: *url, BearerToken: *token, QPS: -1}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s := &suite{
		ctx:      ctx,
		config:   config,
		client:   must(kubernetes.NewForConfig(config)),
		dynamic:  must(dynamic.NewForConfig(config)),
		metadata: must(metadata.NewForConfig(config)),
		streams:  *streams,
	}
	objectChecks(s)
	patchChecks(s)
	listChecks(s)
	watchChecks(s)
	informerChecks(s, *watchList && *streams)
	customChecks(s)
	if s.failed > 0 {
		fmt.Printf("%d checks failed\n", s.failed)
		os.Exit(1)
	}
}
