package skill

import (
	"os"
	"path/filepath"
)

// Folder is a place on disk.
func Folder(name, path string) Place {
	return Place{Name: name, Path: path, FS: os.DirFS(path), Real: func(file string) (string, error) {
		return filepath.EvalSymlinks(filepath.Join(path, filepath.FromSlash(file)))
	}}
}

// File is a place on disk of which one file counts.
func File(name, path string) Place {
	p := Folder(name, filepath.Dir(path))
	p.File = filepath.Base(path)
	return p
}

// Places returns where agents look for skills from a folder, those that win
// first: those of the project before a person's own, and of each what pi reads
// before what other agents do. The project is what lies between dir and the
// repository around it; without one, dir and the folders above it, up to home.
func Places(dir, home string, getenv func(string) string) []Place {
	var list []Place
	add := func(name string, parts ...string) {
		list = append(list, Folder(name, filepath.Join(parts...)))
	}
	add("project", dir, ".pi", "skills")
	for _, agent := range [...]string{".agents", ".claude"} {
		for _, folder := range upwards(dir, home) {
			add("project", folder, agent, "skills")
		}
	}
	if home == "" {
		return list
	}
	own := func(variable string, parts ...string) string {
		if v := getenv(variable); filepath.IsAbs(v) {
			return v
		}
		return filepath.Join(append([]string{home}, parts...)...)
	}
	add("user", own("PI_CODING_AGENT_DIR", ".pi", "agent"), "skills")
	add("user", home, ".agents", "skills")
	add("user", own("CLAUDE_CONFIG_DIR", ".claude"), "skills")
	add("user", own("CODEX_HOME", ".codex"), "skills")
	return list
}

// upwards returns dir and the folders above it that belong to a project.
func upwards(dir, home string) (folders []string) {
	for at := dir; at != home || at == dir; at = filepath.Dir(at) {
		folders = append(folders, at)
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || filepath.Dir(at) == at {
			break
		}
	}
	return folders
}
