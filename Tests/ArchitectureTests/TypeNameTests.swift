import Testing

/// A type can be found by its name: it is in the file of that name, and no other file declares the name.
///
/// Small types that serve only the file's type may stand below it. A reader meets them there anyway, and a file
/// for each would be one more thing to open.
@Suite struct `Type names` {
    /// The maximum number of lines of all small types in a file together.
    private static let mostSmallLines = 120

    private static func misplaced(in source: String, ofFile name: String) -> [String] {
        let declared = DeclaredTypes(in: source).declarations.filter { !$0.isPrivate }
        let others = declared.filter { $0.name != name }
        let areSmall = others.map(\.lineCount).reduce(0, +) <= mostSmallLines
        return declared.first?.name == name && areSmall ? [] : others.map(\.name)
    }

    @Test func `are the names of the files that declare the types`() throws {
        let files = try SourceFiles.all()

        let misplaced = files.flatMap { file in
            Self.misplaced(in: file.text, ofFile: file.typeName).map { "\(file.path): \($0)" }
        }

        #expect(misplaced == [])
        #expect(files.count > 700)
    }

    @Test(arguments: [
        "struct Other {}", "public final class Other {", "@frozen public enum Other: Int {",
        "struct Other {}\n\nstruct Mine {\n}",
        "struct Mine {\n}\n\nprotocol Other: Sendable {\n" + String(repeating: "\n", count: 120)
            + "}",
    ])
    func `are reported in a file of another name`(_ source: String) {
        let misplaced = Self.misplaced(in: source, ofFile: "Mine")

        #expect(misplaced == ["Other"])
    }

    @Test(arguments: [
        "private struct Other {}", "struct Mine {\n    struct Other {}\n}",
        "struct Mine {\n}\n\nenum Other {\n    case one\n}",
    ])
    func `may differ if no other file sees the type by that name, or if it is a small type below`(
        _ source: String
    ) {
        let misplaced = Self.misplaced(in: source, ofFile: "Mine")

        #expect(misplaced == [])
    }

    /// Returns the names that several files declare, each with those files.
    private static func repeated(
        _ files: [(path: String, source: String)]
    ) -> [String: [String]] {
        var paths: [String: [String]] = [:]
        for file in files {
            for declaration in DeclaredTypes(in: file.source).declarations {
                paths[declaration.name, default: []].append(file.path)
            }
        }
        return paths.filter { $1.count > 1 }
    }

    @Test func `are unique across all modules, including private types`() throws {
        let repeated = Self.repeated(try SourceFiles.all().map { ($0.path, $0.text) })

        #expect(repeated == [:])
    }

    @Test func `are reported if two modules have the same one`() {
        let repeated = Self.repeated([
            ("A/Row.swift", "struct Row {}"), ("B/Table.swift", "private final class Row {"),
        ])

        #expect(repeated == ["Row": ["A/Row.swift", "B/Table.swift"]])
    }
}
