import CairnTestSupport
import Foundation
import Testing

@testable import CairnTool

@Suite struct `The program that extracts a model from classes` {
    private let program = ExtractionProgram(
        package: "/srv/My \"Trails\"", product: "Trails", modules: [],
        classes: ["Author", "In.Book"],
        modelName: "Trails 2")

    @Test func `compiles`() throws {
        let folder = try TemporaryFolder()
        let main = folder.file("main.swift")
        try Data(program.source.utf8).write(to: main)
        let classes = folder.file("classes.swift")
        try Data(
            """
            import Cairn
            final class Author: ManagedObject {}
            enum In { final class Book: ManagedObject {} }

            """.utf8
        ).write(to: classes)

        #expect(try SwiftCompiler.check([main, classes]) == "")
    }

    @Test func `imports the modules with the classes and depends on the product`() {
        let program = ExtractionProgram(
            package: "/srv/Trails", product: "TrailsKit", modules: ["Trails", "Maps"],
            classes: ["Author"], modelName: "Trails")

        #expect(program.source.contains("\n@testable import Trails\n@testable import Maps\n"))
        #expect(program.manifest.contains(".product(name: \"TrailsKit\", package: \"trails\")"))
        #expect(self.program.manifest.contains(".package(path: \"/srv/My \\\"Trails\\\"\")"))
    }

    @Test func `shows each error of its build once`() {
        let text = """
            [3/9] Compiling Lib a.swift
            /srv/a.swift:3:1: error: cannot find 'x' in scope
              |      `- error: cannot find 'x' in scope
            /srv/a.swift:3:1: error: cannot find 'x' in scope
            macro expansion @EntityProperty:1:27: error: no 'y'
            `- /srv/a.swift:2:65: note: expanded code originates here
            macro expansion @EntityProperty:7:27: error: no 'y'
            `- /srv/a.swift:2:65: note: expanded code originates here
            error: emit-module command failed with exit code 1
            error: fatalError
            """

        #expect(
            ClassModel.errors(in: text) == """
                    /srv/a.swift:3:1: error: cannot find 'x' in scope
                    /srv/a.swift:2:65: error: no 'y'
                    error: fatalError
                """)
        #expect(ClassModel.errors(in: "killed\n") == "    killed")
    }
}
