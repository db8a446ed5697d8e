import Cairn
import CairnTestSupport
import Foundation
import Testing

/// Tests `cairn model extract`, and `cairn model check` with a library.
@Suite struct `Models that the tool extracts from classes` {
    private let folder: TemporaryFolder
    private let package: URL
    private let model: URL

    init() throws {
        folder = try TemporaryFolder()
        package = folder.file("Trails")
        model = folder.file("Trails.xcdatamodeld")
        let sources = package.appending(path: "Sources/Trails")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        let cairn = Repository.file("").standardizedFileURL
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "Trails", platforms: [.macOS(.v15)],
                products: [.library(name: "Trails", targets: ["Trails"])],
                dependencies: [.package(path: "\(cairn.path)")],
                targets: [
                    .target(
                        name: "Trails",
                        dependencies: [
                            .product(name: "CairnMacros", package: "\(cairn.lastPathComponent)")
                        ])
                ])

            """
        try Data(manifest.utf8).write(to: package.appending(path: "Package.swift"))
        try write(
            """
            import CairnMacros
            import Foundation

            @Composite struct Address { var street = ""; var town: String? }
            @Entity final class Author: ManagedObject {
                #Unique<Author>([\\.name, \\.born])
                var name: String = ""
                var born: Date?
                var address: Address?
                @Relationship(deleteRule: .cascade, inverse: \\Book.author) var books: Members<Book>
            }
            @Entity public class Book: ManagedObject {
                @Attribute(.range(1...9999)) var pages: Int32 = 1
                var author: Author?
            }

            """)
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: package.appending(path: "Sources/Trails/Classes.swift"))
    }

    /// Runs a command with the same scratch folder each time, so that Cairn itself is built only once.
    private func run(_ command: [String]) throws -> ToolRun {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "cairn-extract-scratch")
        return try ToolRun(
            ["model"] + command
                + [
                    "--package", package.path, "--product", "Trails", "--scratch-path",
                    scratch.path,
                ])
    }

    /// The model of the classes, declared by hand.
    private var expected: [EntityDescription] {
        var author = EntityDescription(
            "Author",
            [
                .attribute("name", .string, isOptional: false, defaultValue: .string("")),
                .attribute("born", .date), .attribute("address", .composite),
                .toMany("books", "Book", inverse: "author", deleteRule: .cascade),
            ])
        author.uniquenessConstraints = [["name", "born"]]
        var address = AttributeDescription("address", .composite)
        address.compositeName = "Address"
        author.properties[2] = .attribute(address)
        return [
            author,
            EntityDescription(
                "Book",
                [
                    .attribute("pages", .integer32, isOptional: false, defaultValue: 1),
                    .toOne("author", "Author", inverse: "books"),
                ]),
        ]
    }

    /// Enabled only with `CAIRN_EXTRACT=1`, because the first run builds Cairn and takes minutes.
    @Test(.enabled(if: TestSetting.text("CAIRN_EXTRACT") != nil))
    func `have the hashes of the classes, are checked, and their errors are reported`() throws {
        let result = try run(["extract", "-o", model.path])

        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.text.hasSuffix("from Author, Book\n"))
        let read = try ManagedObjectModel(contentsOf: model)
        var description = ModelDescription(expected)
        description.composites = read.description.composites
        let wanted = try ManagedObjectModel(description)
        #expect(read.entityVersionHashes == wanted.entityVersionHashes)
        #expect(try run(["check", model.path]).text == "The classes match the model.\n")
        #expect(try run(["lint"]).text == "")

        try expectGeneratedClasses()
        try expectDifference()
        try expectMistakes()
    }

    private func expectGeneratedClasses() throws {
        let classes = folder.file("Classes")
        let result = try ToolRun(["model", "generate", model.path, "-o", classes.path])
        #expect(result.exitCode == 0)
        let files = try FileManager.default.subpathsOfDirectory(atPath: classes.path)
            .filter { $0.hasSuffix(".swift") }.map { classes.appending(path: $0) }
        #expect(files.count == 6)
        #expect(try SwiftCompiler.check(files) == "")
    }

    private func expectDifference() throws {
        try write(
            """
            import CairnMacros
            @Composite struct Address { var street = ""; var town: String? }
            @Entity final class Author: ManagedObject {
                var name: String = ""
                var address: Address?
                @Relationship(deleteRule: .deny, inverse: \\Book.author) var books: Members<Book>
                @Relationship(hasInverse: false) var read: Members<Book>
            }
            @Entity class Book: ManagedObject {
                var pages: Int32 = 1
                var author: Author?
            }

            """)

        let result = try run(["check", model.path])
        let lint = try run(["lint", "--strict"])

        #expect(result.exitCode == 1)
        #expect(result.text.contains("born") && result.text.contains("books"))
        #expect(result.errorText.contains("do not match \(model.path)"))
        #expect(lint.exitCode == 1)
        #expect(lint.text.hasPrefix("warning: Author.read: it has no inverse"))
        #expect(lint.errorText.contains("Trails has 1 warning."))
    }

    private func expectMistakes() throws {
        try write(
            """
            import CairnMacros
            @Entity final class Author: ManagedObject {
                @Attribute(.pattern("(")) var name: String = ""
            }

            """)
        let invalid = try run(["extract", "-o", folder.file("Other.xcdatamodeld").path])
        try write(
            "import CairnMacros\n@Entity final class Author: ManagedObject { var name: Character }\n"
        )
        let wrong = try run(["extract", "-o", folder.file("Other.xcdatamodeld").path])

        #expect(invalid.exitCode == 1)
        #expect(invalid.errorText.contains("Trails/Classes.swift:3"))
        #expect(wrong.exitCode == 1)
        #expect(wrong.errorText.contains("Classes.swift:2:"))
    }
}
