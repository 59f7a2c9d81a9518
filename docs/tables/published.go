package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// published reads sources.yaml of the Python package. A row of the kind "source" is what python -m qatsbench.datasets
// fetch can be asked for: its name, title, page, licence, the folder into which it is imported, and the number of its
// networks, empty where the file does not list them. A row of the kind "origin" is a repository at a commit, or an
// address, with the licence and the names of the sources that use it.
func published(text []byte) (rows []row, columns []string, err error) {
	var list struct {
		Origins []struct{ Name, Repository, Commit, URL, Licence string }
		Sources []struct {
			Name, Title, Page, Licence, Into string
			Origins                          []string
			Networks                         []yaml.Node
		}
	}
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, nil, err
	}
	users := map[string][]string{}
	for _, s := range list.Sources {
		r := row{"kind": "source", "name": s.Name, "title": s.Title, "page": s.Page, "licence": s.Licence, "into": s.Into}
		names := s.Origins
		for _, n := range s.Networks {
			names = append(names, origins(&n)...)
		}
		if len(s.Networks) > 0 {
			r["networks"] = strconv.Itoa(len(s.Networks))
		}
		rows = append(rows, r)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			users[name] = append(users[name], s.Name)
		}
	}
	for _, o := range list.Origins {
		place := o.URL
		if o.Repository != "" {
			place = fmt.Sprintf("%s@%.7s", o.Repository, o.Commit)
		}
		rows = append(rows, row{"kind": "origin", "name": o.Name, "place": place, "licence": o.Licence, "sources": strings.Join(users[o.Name], " ")})
	}
	return rows, []string{"kind", "name", "title", "page", "licence", "into", "networks", "place", "sources"}, nil
}

// origins returns the names before the colon of the files that a node names, as in file: "someone:resnet18.npz".
// Nodes that an alias repeats count where they are used.
func origins(n *yaml.Node) (names []string) {
	if n.Kind == yaml.AliasNode {
		return origins(n.Alias)
	}
	for i, child := range n.Content {
		isFile := n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "file"
		if name, _, ok := strings.Cut(child.Value, ":"); isFile && ok {
			names = append(names, name)
		}
		names = append(names, origins(child)...)
	}
	return names
}
