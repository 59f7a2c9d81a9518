package experiments

// Suggest returns ` (did you mean x?)` for the name nearest to an unknown one, or
// the list of known names. It serves flags as suggest serves specs.
func Suggest(unknown string, known []string) string { return suggest(unknown, known) }
