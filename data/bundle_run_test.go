package data_test

import (
	"os"
	"path/filepath"
	"testing"

	"gopkg.in/yaml.v3"
)

// names is a scalar or a list of them.
type names []string

func (n *names) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*n = names{node.Value}
		return nil
	}
	return node.Decode((*[]string)(n))
}

// TestSpecsRunEveryNetworkOfTheBundle: the specs forget no network.
func TestSpecsRunEveryNetworkOfTheBundle(t *testing.T) {
	run := map[string]bool{}
	for _, file := range []string{"companion.yaml", "companion-pixels.yaml", "full-width.yaml", "tabular.yaml"} {
		b, err := os.ReadFile(filepath.Join("..", "experiments", file))
		if err != nil {
			t.Fatal(err)
		}
		var spec struct {
			Settings []struct{ Dataset, Backbone, Loss names }
		}
		if err := yaml.Unmarshal(b, &spec); err != nil {
			t.Fatal(err)
		}
		for _, s := range spec.Settings {
			for _, dataset := range s.Dataset {
				for _, backbone := range s.Backbone {
					if len(s.Loss) == 0 {
						s.Loss = names{""}
					}
					for _, loss := range s.Loss {
						run[dataset+"/"+backbone+"/"+loss] = true
					}
				}
			}
		}
	}
	for _, s := range bundleManifest(t).Sets {
		ref := bundleRef(t, s.Set)
		if !run[ref.Dataset+"/"+ref.Backbone+"/"+ref.Loss] {
			t.Errorf("no spec runs %s", s.Set)
		}
	}
}
