// Generates the SDK for Java. Its generator is a module of its own, and the newest version of it that can be verified needs
// an engine that is older than that of `../../oldest`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: generate-sdk <schema.json> <folder>"))
	}
	pkg, err := load(os.Args[1])
	if err != nil {
		fail(err)
	}
	files, err := java.GeneratePackage("pulumi", pkg, nil, false)
	if err != nil {
		fail(err)
	}
	if err := write(files, filepath.Join(os.Args[2], "java")); err != nil {
		fail(err)
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
	pkg, diagnostics, err := schema.BindSpec(spec, nil)
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
