package peers

import (
	"os"
	"testing"

	"github.com/pulumi/providertest"
	"github.com/pulumi/providertest/optproviderupgrade"
	"github.com/pulumi/providertest/pulumitest"
	"github.com/pulumi/providertest/pulumitest/assertpreview"
	"github.com/pulumi/providertest/pulumitest/assertrefresh"
	"github.com/pulumi/providertest/pulumitest/assertup"
	"github.com/pulumi/providertest/pulumitest/opttest"
)

// setting is a variable of the environment that tools/peers.ts sets.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set. Run `npm run peers`", name)
	}
	return value
}

func attached(t *testing.T) opttest.Option {
	return opttest.AttachProviderBinary("cloudvoice", setting(t, "PEERS_PLUGIN"))
}

// program copies the program and makes a stack of it. The stack is destroyed after the test.
func program(t *testing.T, more ...opttest.Option) *pulumitest.PulumiTest {
	options := []opttest.Option{attached(t), opttest.SkipInstall(), opttest.DisablePulumiVersionLog()}
	return pulumitest.NewPulumiTest(t, setting(t, "PEERS_PROGRAM"), append(options, more...)...)
}

// inKnownBackend has the plugin's own backend. An attached plugin gets no variables of the stack, and it reads the
// stacks before it deletes a voice.
func inKnownBackend() opttest.Option { return opttest.UseAmbientBackend() }

func TestProviderLifeCycle(t *testing.T) {
	test := program(t, inKnownBackend())
	test.Preview(t)
	test.Up(t)
	assertpreview.HasNoChanges(t, test.Preview(t))
	assertrefresh.HasNoChanges(t, test.Refresh(t))
	assertup.HasNoChanges(t, test.Up(t))
}

func TestProviderImport(t *testing.T) {
	test := program(t, inKnownBackend())
	test.Import(t, "cloudvoice:index:CloudVoice", "narrator", setting(t, "PEERS_VOICE"), "", "--generate-code=false")
	assertpreview.HasNoDeletes(t, test.Preview(t))
}

func TestProviderUpgrade(t *testing.T) {
	// The first run after a release records its state, with the plugin that is built then.
	recorded := optproviderupgrade.CacheDir(setting(t, "PEERS_RECORDED"), optproviderupgrade.BaselineVersion)
	preview := providertest.PreviewProviderUpgrade(t, program(t), "cloudvoice", setting(t, "PEERS_BASELINE"),
		recorded, optproviderupgrade.BaselineOpts(attached(t)))
	assertpreview.HasNoChanges(t, preview)
}
