package formats

import (
	"path/filepath"
	"strings"

	"github.com/qats-bench/qats/data/problem"
)

// TorchProblem is the error of a file of torch.save. It has the line of Python that writes
// the tensor for this program.
func TorchProblem(name string) *problem.Problem {
	base := name[strings.LastIndexAny(name, `/\`)+1:]
	base, _, _ = strings.Cut(base, ".")
	numbers := "t.float().cpu().numpy()"
	if strings.Contains(base, "label") || strings.Contains(base, "target") {
		numbers = "t.cpu().numpy()"
	}
	return &problem.Problem{
		Place: name,
		Cause: "a file of torch.save, which only Python can read",
		Fix:   `save the tensor t as an array: np.save("` + base + `.npy", ` + numbers + ")",
	}
}

// IsTorch reports whether the name of a file is that of a file of torch.save.
func IsTorch(path string) bool {
	end := filepath.Ext(path)
	return len(path) > len(end) && (strings.EqualFold(end, ".pt") || strings.EqualFold(end, ".pth"))
}
