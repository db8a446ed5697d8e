import CairnTestSupport
import Foundation
import Testing

/// The engine contract stays small: few requirements for every engine, and few more for an engine with files.
@Suite struct `Size of the contract` {
    private let sources: [String]

    init() throws { sources = try ContractSources.all().map(\.text) }

    @Test func `is at most ten requirements without a default`() {
        let required = ContractSources.required(by: "PersistentStore", in: sources)

        #expect(required.contains("beginSave()") && required.contains("close()"))
        #expect(required.count <= 10, "\(required)")
    }

    @Test func `for files is at most eight requirements, with or without defaults`() {
        let required = ContractSources.requirements(of: "FileStore", in: sources)

        #expect(required.contains("companionFiles(of:)"))
        #expect(required.count <= 8, "\(required)")
    }

    @Test func `includes the fields that an engine must fill in`() throws {
        let parameters = try ContractSources.parametersWithoutDefault(
            of: "StoreCapabilities", in: sources)

        #expect(parameters == [])
    }

    @Test func `grows with a planted requirement, but not with one that has a default`() {
        let planted = sources.map {
            $0.replacingOccurrences(
                of: "public protocol PersistentStore: AnyObject, Sendable {",
                with: """
                    public protocol PersistentStore: AnyObject, Sendable {
                        func first() throws(StoreError)
                        var second: Int { get }
                        func third() throws(StoreError)
                    """)
        }
        let extended = planted + ["extension PersistentStore {\n    public func third() {}\n}"]

        let before = ContractSources.required(by: "PersistentStore", in: sources)
        let after = ContractSources.required(by: "PersistentStore", in: extended)

        #expect(Set(after).subtracting(before) == ["first()", "second"])
        #expect(after.count > 10)
    }

    @Test func `includes a field without a default`() throws {
        let planted = sources.map {
            $0.replacingOccurrences(of: "isShared: Bool = false", with: "isShared: Bool")
        }

        let parameters = try ContractSources.parametersWithoutDefault(
            of: "StoreCapabilities", in: planted)

        #expect(parameters == ["isShared: Bool"])
    }
}

@Suite struct `Files of the contract` {
    @Test func `are all in a folder`() throws {
        let files = try ContractSources.all()

        let outside = files.map(\.path).filter { $0.split(separator: "/").count == 3 }

        #expect(files.count > 20)
        #expect(outside == ["Sources/CairnStore/Exports.swift"])
    }

    @Test func `do not know the first bytes of any engine's files`() throws {
        let marks = ["SQLite format", "0xde, 0xc0, 0xef, 0xbe", "0x89, 0x43"]
        let found = try ContractSources.all().filter { file in
            marks.contains { file.text.contains($0) }
        }

        #expect(found.map(\.path) == [])
    }
}

/// The sources of `CairnStore` and the declarations in them.
private enum ContractSources {
    static func all() throws -> [SourceFiles.File] {
        try SourceFiles.all().filter { $0.module == "CairnStore" }
    }

    /// Returns the requirements of a protocol in source order. A function is listed with the label of its
    /// first parameter, so that overloads count separately.
    static func requirements(of name: String, in sources: [String]) -> [String] {
        sources.flatMap { members(of: body(of: "public protocol \(name):", in: $0)) }
    }

    /// Returns the requirements that have no default implementation in an extension of the protocol.
    static func required(by name: String, in sources: [String]) -> [String] {
        let defaults = Set(
            sources.flatMap { members(of: body(of: "extension \(name) {", in: $0)) })
        return requirements(of: name, in: sources).filter { !defaults.contains($0) }
    }

    /// Returns the parameters of the type's initializer that have no default value.
    static func parametersWithoutDefault(
        of name: String, in sources: [String]
    ) throws -> [String] {
        let bodies = sources.map { body(of: "public struct \(name):", in: $0) }
        let lines = try #require(bodies.first { !$0.isEmpty })
        let start = try #require(lines.firstIndex { $0.contains("public init(") })
        let text = lines[start...].joined(separator: " ")
        let list = try #require(text.split(separator: "init(").last?.split(separator: ") {").first)
        return list.split(separator: ", ").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.contains(" = ") }
    }

    /// Returns the lines between the first line of a declaration and its closing brace.
    private static func body(of declaration: String, in source: String) -> [String] {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix(declaration) }),
            let end = lines[start...].firstIndex(of: "}")
        else { return [] }
        return lines[(start + 1)..<end].map(String.init)
    }

    /// Returns the names of the members that a body declares.
    private static func members(of body: [String]) -> [String] {
        body.joined(separator: "\n").matches(
            of:
                #/(?m)^    (?:public )?(?:static )?(?:func|var|associatedtype) (\w+)(?:<[^(]*>)?(?:(\()\s*(\w+)?)?/#
        ).map { match in
            guard match.2 != nil else { return String(match.1) }
            return "\(match.1)(\(match.3.map { "\($0):" } ?? ""))"
        }
    }
}
