import Testing

/// A type can be found by its name: it is in the file of that name, or below the type that it serves. No other
/// file declares the name.
///
/// A file tells one subject. Its first type has the file's name, and each type below it names another type of the
/// file or is named by one. A reader meets them together anyway, and a file for each would be one more thing to open.
@Suite struct `Type names` {
    /// The maximum number of lines of unrelated types in a file together.
    private static let mostUnrelatedLines = 40

    private static func misplaced(in source: String, ofFile name: String) -> [String] {
        let declared = DeclaredTypes(in: source).declarations.filter { !$0.isPrivate }
        let others = declared.filter { $0.name != name }
        guard declared.first?.name == name else { return others.map(\.name) }
        let unrelated = others.filter { other in
            let rest = source.replacing(other.text, with: "")
            return !names(other.name, in: rest)
                && !declared.contains { $0 != other && names($0.name, in: other.text) }
        }
        let lineCount = unrelated.map { $0.text.split(separator: "\n").count }.reduce(0, +)
        return lineCount <= mostUnrelatedLines ? [] : unrelated.map(\.name)
    }

    private static func names(_ type: String, in source: String) -> Bool {
        source.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { $0 == type }
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
        "struct Mine {\n}\n\nprotocol Other: Sendable {\n"
            + String(repeating: "    case one\n", count: 40) + "}",
    ])
    func `are reported in a file of another name`(_ source: String) {
        let misplaced = Self.misplaced(in: source, ofFile: "Mine")

        #expect(misplaced == ["Other"])
    }

    @Test(arguments: [
        "private struct Other {}", "struct Mine {\n    struct Other {}\n}",
        "struct Mine {\n}\n\nenum Other {\n    case one\n}",
        "struct Mine {\n    let other: Other\n}\n\nenum Other {\n"
            + String(repeating: "    case one\n", count: 40) + "}",
    ])
    func `may differ if no other file sees the type by that name, or if its file's type uses it`(
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
