// Command minio-go-loop gets or puts objects with minio-go, the client library
// that warp works with, and does nothing else: the least that warp can cost.
//
//	minio-go-loop get|put HOST BYTES OBJECTS CONCURRENCY SECONDS
//
// Keys are taken from the environment as warp takes them. Prints the number of
// correct answers; after any other answer it prints none and fails. Operations
// that began in time are finished and count.
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

// What `warp --sndbuf` and `--rcvbuf` are by default.
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
		// Unlike warp's ten: an operation that had to be repeated is a failure here.
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
	// warp makes up every object anew; here all are the same bytes.
	_, _ = rand.NewChaCha8([32]byte{}).Read(body)
	return &job{client, body, objects, concurrency}, nil
}

// repeat does the operation on objects at random, so many at once, until the
// time is over or one fails.
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

// put has the options that warp leaves as they are: over plain HTTP, the payload
// is signed chunk by chunk as it is sent, with no checksum besides. 16 MiB is just
// what the library still sends in one part; above, it would send several.
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

// get copies to io.Discard as warp does: the buffer is io.Copy's.
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
