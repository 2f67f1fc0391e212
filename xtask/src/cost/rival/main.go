// Command minio-go-loop gets or puts objects with minio-go, the client library
// of warp, and does nothing more: a lower bound of the cost of warp.
//
//	minio-go-loop get|put HOST BYTES OBJECTS CONCURRENCY SECONDS
//
// Credentials come from the environment variables of warp. Prints the number of
// correct responses; fails after the first error. Operations that are in
// progress at the end of the time are completed and counted.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const bucket = "tenbin-cost-minio-go"

// Default of `warp --sndbuf` and `--rcvbuf`.
const transportBuffer = 32 << 10

type job struct {
	client      *minio.Client
	body        []byte
	objects     int
	concurrency int
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "minio-go-loop:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 6 {
		return fmt.Errorf("usage: minio-go-loop get|put HOST BYTES OBJECTS CONCURRENCY SECONDS")
	}
	var numbers [4]int
	for at, text := range arguments[2:] {
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 {
			return fmt.Errorf("%q is not a count", text)
		}
		numbers[at] = number
	}
	work, err := newJob(arguments[1], numbers[0], numbers[1], numbers[2])
	if err != nil {
		return err
	}
	operation := work.put
	switch arguments[0] {
	case "put":
	case "get":
		operation = work.get
		for object := range work.objects {
			if err := work.put(object); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("%q is neither get nor put", arguments[0])
	}
	count, err := work.repeat(operation, time.Duration(numbers[3])*time.Second)
	if err != nil {
		return err
	}
	fmt.Println(count)
	return nil
}

func newJob(host string, size, objects, concurrency int) (*job, error) {
	client, err := minio.New(host, &minio.Options{
		Creds: credentials.NewStaticV4(os.Getenv("WARP_ACCESS_KEY"), os.Getenv("WARP_SECRET_KEY"), ""),
		// No retries; warp has ten. A failed request is an error here.
		MaxRetries: 1,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: concurrency,
			WriteBufferSize:     transportBuffer,
			ReadBufferSize:      transportBuffer,
			DisableCompression:  true,
		},
	})
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	there, err := client.BucketExists(ctx, bucket)
	if err == nil && !there {
		err = client.MakeBucket(ctx, bucket, minio.MakeBucketOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", bucket, err)
	}
	body := make([]byte, size)
	// All objects have the same content; warp generates each object.
	_, _ = rand.NewChaCha8([32]byte{}).Read(body)
	return &job{client, body, objects, concurrency}, nil
}

// repeat runs the operation on random objects with j.concurrency workers until
// the time is over or an operation fails.
func (j *job) repeat(operation func(int) error, length time.Duration) (int64, error) {
	var workers sync.WaitGroup
	var count atomic.Int64
	var failure atomic.Pointer[error]
	end := time.Now().Add(length)
	for worker := range j.concurrency {
		workers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 0))
			done := int64(0)
			for time.Now().Before(end) && failure.Load() == nil {
				if err := operation(random.IntN(j.objects)); err != nil {
					failure.CompareAndSwap(nil, &err)
					break
				}
				done++
			}
			count.Add(done)
		})
	}
	workers.Wait()
	if err := failure.Load(); err != nil {
		return 0, *err
	}
	return count.Load(), nil
}

// put uses the default options of warp: over plain HTTP, the payload is signed in
// chunks while it is sent, without an additional checksum. 16 MiB is the largest
// size that the library sends in one part.
func (j *job) put(object int) error {
	size := int64(len(j.body))
	options := minio.PutObjectOptions{ContentType: "application/octet-stream"}
	sent, err := j.client.PutObject(
		context.Background(), bucket, name(object), bytes.NewReader(j.body), size, options)
	if err == nil && sent.Size != size {
		err = fmt.Errorf("%s: %d bytes of %d put", name(object), sent.Size, size)
	}
	return err
}

// get copies to io.Discard with the buffer of io.Copy, like warp.
func (j *job) get(object int) error {
	answer, err := j.client.GetObject(
		context.Background(), bucket, name(object), minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	defer answer.Close()
	got, err := io.Copy(io.Discard, answer)
	if err == nil && got != int64(len(j.body)) {
		err = fmt.Errorf("%s: %d bytes of %d got", name(object), got, len(j.body))
	}
	return err
}

func name(object int) string {
	return "object-" + strconv.Itoa(object)
}
