package dynamo

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// idleConns is how many connections to DynamoDB are kept, for a walk of many
// shards at once and for PutAll. Go's own default of two would open a TLS
// connection for nearly every request.
const idleConns = 256

// NewClient makes the SDK's client as a [Store] wants it: a connection pool as
// wide as the work, short waits for a connection, and answers that are checked. An
// HTTP client of the configuration that is not the SDK's own is kept as it is, but
// for the check.
func NewClient(cfg aws.Config, opts ...func(*dynamodb.Options)) *dynamodb.Client {
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = awshttp.NewBuildableClient()
	}
	if own, ok := cfg.HTTPClient.(*awshttp.BuildableClient); ok {
		cfg.HTTPClient = own.WithTransportOptions(widen).
			WithDialerOptions(func(d *net.Dialer) { d.Timeout = 3 * time.Second })
	}
	cfg.HTTPClient = checkedClient{cfg.HTTPClient}
	return dynamodb.NewFromConfig(cfg, opts...)
}

func widen(t *http.Transport) {
	t.MaxIdleConns = idleConns
	t.MaxIdleConnsPerHost = idleConns
	t.IdleConnTimeout = 90 * time.Second
	t.TLSHandshakeTimeout = 5 * time.Second
}

// checkedClient holds every answer against its x-amz-crc32 before the SDK sees it.
// The SDK compares them too, but after it has decoded the body, and then only logs
// the difference: a damaged answer would be believed if it is still JSON.
type checkedClient struct{ aws.HTTPClient }

const checksumHeader = "X-Amz-Crc32"

// Do sends a request.
func (c checkedClient) Do(r *http.Request) (*http.Response, error) {
	response, err := c.HTTPClient.Do(r)
	if err != nil || response.Header.Get(checksumHeader) == "" {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	want := response.Header.Get(checksumHeader)
	if got := crc32.ChecksumIEEE(body); strconv.FormatUint(uint64(got), 10) != want {
		return nil, fmt.Errorf("answer of %d bytes was damaged on its way: its CRC-32 is %d, not %s", len(body), got, want)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// once switches the SDK's retries off: ours see each attempt, and so which writes
// may have been carried out though their answers were lost. The clock sees each too.
func (o options) once(sdk *dynamodb.Options) {
	sdk.Retryer = aws.NopRetryer{}
	sdk.APIOptions = append(sdk.APIOptions, o.clock.watch)
}
