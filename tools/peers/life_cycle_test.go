package peers

import (
	"path/filepath"
	"testing"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi-go-provider/integration"
	middleware "github.com/pulumi/pulumi-go-provider/middleware/rpc"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	p "github.com/pulumi/pulumi-go-provider"
)

type fields = map[string]property.Value

var text = property.New[string]

func changed(inputs fields, name string, value property.Value) fields {
	all := fields{name: value}
	for each, before := range inputs {
		if each != name {
			all[each] = before
		}
	}
	return all
}

// runLifeCycle creates a resource, updates it, replaces it and deletes it, through pulumi-go-provider's own test. The
// test itself accepts updates and replacements that do not happen, so they are counted.
func runLifeCycle(t *testing.T, resource string, created, updated, replaced fields) {
	executable := filepath.Join(setting(t, "PEERS_PLUGIN"), "pulumi-resource-cloudvoice")
	plugin := middleware.Provider(startPlugin(t, executable, setting(t, "PEERS_PROGRAM")))
	server, err := integration.NewServer(t.Context(), "cloudvoice", semver.MustParse("0.1.0"), integration.WithProvider(plugin))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Configure(p.ConfigureRequest{}); err != nil {
		t.Fatal(err)
	}
	steps := 0
	step := func(inputs fields) integration.Operation {
		return integration.Operation{
			Inputs: property.NewMap(inputs),
			Hook:   func(_, _ property.Map) { steps++ },
		}
	}
	integration.LifeCycleTest{
		Resource: tokens.Type("cloudvoice:index:" + resource),
		Create:   step(created),
		Updates:  []integration.Operation{step(updated), step(replaced)},
	}.Run(t, server)
	if steps != 3 {
		t.Errorf("%d of the create, the update and the replacement took place", steps)
	}
}

func TestLifeCycleOfCloudVoice(t *testing.T) {
	voice := fields{"targetModel": text("svc3-tts-vc-2026-01-22"), "audio": text("a.wav")}
	// `adopt` is read at creation only, so a change of it is an update that calls nothing.
	runLifeCycle(t, "CloudVoice", voice, changed(voice, "adopt", text("a-voice")), changed(voice, "audio", text("b.mp3")))
}

func TestLifeCycleOfGeneratedImage(t *testing.T) {
	image := fields{"model": text("svc-image"), "prompt": text("A lighthouse")}
	runLifeCycle(t, "GeneratedImage", image, changed(image, "saveTo", text("covers")), changed(image, "prompt", text("A storm")))
}

func TestLifeCycleOfDecision(t *testing.T) {
	atMost := func(max float64) property.Value {
		return property.New(fields{"ok": property.New(fields{"max": property.New(max)})})
	}
	question := property.New(fields{"type": text("noul"), "instructions": text("Is it fine?")})
	decision := fields{
		"state":     text("All is well."),
		"questions": property.New(fields{"ok": question}),
		"expect":    atMost(1),
	}
	runLifeCycle(t, "Decision", decision, changed(decision, "expect", atMost(2)), changed(decision, "state", text("All is lost.")))
}
