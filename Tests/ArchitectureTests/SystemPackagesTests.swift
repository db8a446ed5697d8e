import CairnTestSupport
import Foundation
import Testing

/// The README names the packages that `script/prepare` installs, for a machine and for an image.
@Suite struct `System packages` {
    @Test func `in the README are those of the scripts`() throws {
        let prepare = try Repository.text("script/prepare")
        let readme = try Repository.text("README.md")

        let list = try #require(prepare.firstMatch(of: /packages=\(([^)]*)\)/)?.1)
        let commands = readme.matches(of: /apt-get install (?:-y )?(pkg-config [^&\n]*)/).map {
            $0.1.trimmingCharacters(in: .whitespaces)
        }

        #expect(commands == [String(list), String(list)])
    }

    @Test func `of the image that runs a program contain the libraries of the build`() throws {
        let readme = try Repository.text("README.md")

        let stages = readme.components(separatedBy: "\nFROM ")
        #expect(stages.count == 3)
        for library in ["libsqlite3", "liblmdb", "libxml2"] {
            #expect(stages[1].contains("\(library)-dev"))
            #expect(stages[2].contains(library) && !stages[2].contains("-dev"))
        }
    }
}
