// Generates the SDKs from a package schema, with the generators of the Pulumi command line itself.
// `pulumi package gen-sdk` does the same where every language host is new enough, and the hosts that can be built from
// the Go module proxy are not.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

type generator func(pkg *schema.Package) (map[string][]byte, error)

var generators = map[string]generator{
	"python": func(pkg *schema.Package) (map[string][]byte, error) {
		return python.GeneratePackage("pulumi", pkg, nil, nil)
	},
	"go": func(pkg *schema.Package) (map[string][]byte, error) {
		return gogen.GeneratePackage("pulumi", pkg, nil)
	},
}

func main() {
	if len(os.Args) < 4 {
		fail(fmt.Errorf("usage: generate-sdks <schema.json> <folder> <language>..."))
	}
	pkg, err := load(os.Args[1])
	if err != nil {
		fail(err)
	}
	for _, language := range os.Args[3:] {
		generate, found := generators[language]
		if !found {
			fail(fmt.Errorf("there is no generator for %s", language))
		}
		files, err := generate(pkg)
		if err != nil {
			fail(fmt.Errorf("%s: %w", language, err))
		}
		if err := write(files, filepath.Join(os.Args[2], language)); err != nil {
			fail(err)
		}
	}
}

func load(file string) (*schema.Package, error) {
	bytes, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(bytes, &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return pkg, nil
}

func write(files map[string][]byte, folder string) error {
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
