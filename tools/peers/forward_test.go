package peers

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"testing"

	rpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// forwarder passes the calls that a life cycle needs on to a plugin in a process of its own, as the engine does.
type forwarder struct {
	rpc.UnimplementedResourceProviderServer
	plugin rpc.ResourceProviderClient
}

// startPlugin starts the plugin in the folder, which is the program's. It ends with the test.
func startPlugin(t *testing.T, executable, folder string) *forwarder {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, executable)
	command.Dir = folder
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait()
	})
	port, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("the plugin printed no port: %v", err)
	}
	address := "127.0.0.1:" + strings.TrimSpace(port)
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return &forwarder{plugin: rpc.NewResourceProviderClient(connection)}
}

func (f *forwarder) Handshake(ctx context.Context, in *rpc.ProviderHandshakeRequest) (*rpc.ProviderHandshakeResponse, error) {
	return f.plugin.Handshake(ctx, in)
}

func (f *forwarder) Configure(ctx context.Context, in *rpc.ConfigureRequest) (*rpc.ConfigureResponse, error) {
	return f.plugin.Configure(ctx, in)
}

func (f *forwarder) Check(ctx context.Context, in *rpc.CheckRequest) (*rpc.CheckResponse, error) {
	return f.plugin.Check(ctx, in)
}

func (f *forwarder) Diff(ctx context.Context, in *rpc.DiffRequest) (*rpc.DiffResponse, error) {
	return f.plugin.Diff(ctx, in)
}

func (f *forwarder) Create(ctx context.Context, in *rpc.CreateRequest) (*rpc.CreateResponse, error) {
	return f.plugin.Create(ctx, in)
}

func (f *forwarder) Update(ctx context.Context, in *rpc.UpdateRequest) (*rpc.UpdateResponse, error) {
	return f.plugin.Update(ctx, in)
}

func (f *forwarder) Delete(ctx context.Context, in *rpc.DeleteRequest) (*emptypb.Empty, error) {
	return f.plugin.Delete(ctx, in)
}
