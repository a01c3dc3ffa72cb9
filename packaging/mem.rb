class Mem < Formula
  desc "{{SUMMARY}}"
  homepage "{{HOME_URL}}"
  version "{{VERSION}}"
  license "MIT"

  on_macos do
    on_arm do
      url "{{DOWNLOAD}}/mem-{{TAG}}-darwin-arm64.tar.gz"
      sha256 "{{SUM-darwin-arm64}}"
    end
    on_intel do
      url "{{DOWNLOAD}}/mem-{{TAG}}-darwin-amd64.tar.gz"
      sha256 "{{SUM-darwin-amd64}}"
    end
  end
  on_linux do
    on_arm do
      url "{{DOWNLOAD}}/mem-{{TAG}}-linux-arm64.tar.gz"
      sha256 "{{SUM-linux-arm64}}"
    end
    on_intel do
      url "{{DOWNLOAD}}/mem-{{TAG}}-linux-amd64.tar.gz"
      sha256 "{{SUM-linux-amd64}}"
    end
  end

  def install
    bin.install "mem"
    bash_completion.install "share/bash-completion/completions/mem"
    zsh_completion.install "share/zsh/site-functions/_mem"
    fish_completion.install "share/fish/vendor_completions.d/mem.fish"
    man1.install Dir["share/man/man1/*"]
    doc.install "README.md", "CHANGELOG.md", "docs"
  end

  test do
    assert_match "mem ", shell_output("#{bin}/mem --version")
  end
end
