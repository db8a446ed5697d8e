import Foundation
import Testing

@testable import CairnTool

@Suite struct `A package as SwiftPM describes it` {
    private func package() throws -> ProgramPackage {
        let text = """
            {
              "name" : "Trails", "path" : "/srv/Trails", "dependencies" : [],
              "products" : [
                { "name" : "Trails", "targets" : [ "Trails" ], "type" : { "library" : [ "automatic" ] } },
                { "name" : "trails", "targets" : [ "Tool" ], "type" : { "executable" : null } }
              ],
              "targets" : [
                { "name" : "Trails", "c99name" : "Trails", "path" : "Sources/Trails",
                  "sources" : [ "b.swift", "In/a.swift", "c.c" ], "target_dependencies" : [ "Maps" ] },
                { "name" : "Maps", "c99name" : "Maps", "path" : "Sources/Maps", "sources" : [],
                  "target_dependencies" : [ "Trails" ] },
                { "name" : "Tool", "c99name" : "Tool", "path" : "Sources/Tool", "sources" : [] }
              ]
            }
            """
        return try JSONDecoder().decode(ProgramPackage.self, from: Data(text.utf8))
    }

    @Test func `has the targets of a library, and their dependencies`() throws {
        let package = try package()
        let targets = try package.targets(of: "Trails")

        #expect(targets.map(\.name) == ["Maps", "Trails"])
        #expect(
            package.sources(of: targets[1]).map(\.path) == [
                "/srv/Trails/Sources/Trails/In/a.swift", "/srv/Trails/Sources/Trails/b.swift",
            ])
    }

    @Test func `refuses products that are unknown or not libraries`() throws {
        let package = try package()
        let unknown = #expect(throws: ToolFailure.self) { try package.targets(of: "Trial") }
        let program = #expect(throws: ToolFailure.self) { try package.targets(of: "trails") }

        #expect(unknown?.description.hasSuffix("Its libraries are: Trails.") == true)
        #expect(program?.description.contains("trails is not a library") == true)
    }
}
