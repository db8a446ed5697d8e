import Testing

/// The archive formats (raw deflate, binary property lists and keyed archives) do not depend on models. Only
/// `CairnModelArchive/Mapping` knows how an archive represents a model.
@Suite struct `Formats of archives` {
    private static let folders = [
        "Sources/CairnModel/Archives/PropertyList/", "Sources/CairnModel/Archives/KeyedArchive/",
        "Sources/CairnModelArchive/Deflate/",
    ]

    private static func isFormat(_ path: String) -> Bool {
        folders.contains { path.hasPrefix($0) }
    }

    /// The names of the model types and of the types that map models to archives.
    private static func modelTypes() throws -> Set<String> {
        let files = try SourceFiles.all().filter {
            ["CairnModel", "CairnModelArchive"].contains($0.module) && !isFormat($0.path)
                && !$0.path.hasPrefix("Sources/CairnModel/Archives/")
        }
        return Set(
            files.flatMap { DeclaredTypes(in: $0.text).declarations }
                .filter { !$0.isPrivate }.map(\.name))
    }

    /// Returns the names in `types` that occur in the source's code, outside comments and string literals,
    /// and the Cairn modules that the source imports.
    private static func violations(in source: String, of types: Set<String>) -> Set<String> {
        let code = source.replacing(/"[^"\n]*"/, with: "").replacing(/\/\/[^\n]*/, with: "")
        return Set(
            code.matches(of: /\b[A-Z]\w*/).map { String($0.output) }.filter {
                types.contains($0) || $0.hasPrefix("Cairn")
            })
    }

    @Test(arguments: folders)
    func `mention no type of a model`(_ folder: String) throws {
        let types = try Self.modelTypes()
        let files = try SourceFiles.all().filter { $0.path.hasPrefix(folder) }

        let found = files.flatMap { file in
            Self.violations(in: file.text, of: types).map { "\(file.path): \($0)" }
        }

        #expect(found == [])
        #expect(files.count > 2)
        #expect(types.isSuperset(of: ["Entity", "ModelDescription", "ModelEncoder"]))
    }

    @Test(arguments: [
        "import CairnModel", "let entity: Entity", "func read() -> [AttributeDescription] {",
        "var encoder = ModelEncoder(bytes) // Entity",
    ])
    func `are detected if they mention one`(_ source: String) throws {
        let types = try Self.modelTypes()

        let found = Self.violations(in: source, of: types)

        #expect(found.count == 1)
    }

    @Test func `may mention types of a model in comments and strings`() throws {
        let source = "/// An Entity.\nthrow .damaged(\"no Entity\")"

        let found = Self.violations(in: source, of: try Self.modelTypes())

        #expect(found == [])
    }
}
