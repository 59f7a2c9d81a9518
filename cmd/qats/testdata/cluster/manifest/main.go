// Command manifest reads a Kubernetes job on standard input, as strictly as the API
// server reads the fields that kubectl sends it: unknown and repeated keys, values of
// another type and quantities that cannot be parsed are errors. It prints the number
// of completions. A suspended job is none of tasks: it has one pod. It is a module of its own, so that qats does not depend on Kubernetes.
package main

import (
	"fmt"
	"io"
	"os"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	completions, err := check(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(completions)
}

func check(r io.Reader) (completions int32, err error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return 0, err
	}
	var job batch.Job
	if err := yaml.UnmarshalStrict(text, &job); err != nil {
		return 0, err
	}
	// Fields that the API server requires, or allows only beside others.
	spec, pod := job.Spec, job.Spec.Template.Spec
	one := int32(1)
	if spec.Suspend != nil && *spec.Suspend && spec.Completions == nil {
		mode := batch.IndexedCompletion
		spec.CompletionMode, spec.Completions = &mode, &one
	}
	switch {
	case job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Name == "":
		return 0, fmt.Errorf("%s %s %q: want a batch/v1 Job with a name", job.APIVersion, job.Kind, job.Name)
	case spec.CompletionMode == nil || *spec.CompletionMode != batch.IndexedCompletion:
		return 0, fmt.Errorf("completionMode is not Indexed: the pods have no index")
	case spec.Completions == nil || *spec.Completions < 1:
		return 0, fmt.Errorf("an indexed job needs completions")
	case pod.RestartPolicy != core.RestartPolicyNever:
		return 0, fmt.Errorf("restartPolicy is %q; backoffLimitPerIndex needs Never", pod.RestartPolicy)
	case len(pod.Containers) == 0:
		return 0, fmt.Errorf("no container")
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
	}
	for _, c := range pod.Containers {
		if c.Name == "" || c.Image == "" {
			return 0, fmt.Errorf("a container without name or image")
		}
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] || m.MountPath == "" {
				return 0, fmt.Errorf("container %s mounts %q at %q, which is no volume or no path", c.Name, m.Name, m.MountPath)
			}
		}
	}
	return *spec.Completions, nil
}
