import CairnTestSupport
import Foundation
import Testing

/// The names that no property of an entity's class can have. `CairnModel` has the list, the macro plugin a copy.
@Suite struct `Names that all managed objects have` {
    @Test func `are listed as they are declared, once for models and once for macros`() throws {
        let declared = try SourceFiles.all().flatMap { Self.properties(in: $0.text) }

        // A protocol of the standard library declares the last one.
        let names = (declared + ["hashValue"]).sorted()
        #expect(names.count == Set(names).count)
        #expect(
            try Self.list("members", in: "Sources/CairnModel/Linting/ModelLinter.swift") == names)
        #expect(
            try Self.list("takenNames", in: "Sources/CairnMacroPlugin/EntityMistake.swift") == names
        )
    }

    @Test func `are found in the class and in its extensions, if they are public properties`() {
        let source = """
            open class ManagedObject {
                public internal(set) final var objectID: ObjectID {
                open class var entitySettings: EntitySettings { EntitySettings() }
                final var owner: ManagedObjectContext? {
            }
            extension ManagedObjectContext {
                public var undoManager: UndoManager?
            }
            extension ManagedObject: CustomStringConvertible {
                open var description: String { "" }
                open func didSave() {}
            }
            """

        let found = Self.properties(in: source)

        #expect(found == ["objectID", "description"])
    }

    /// Returns the names of the public properties of managed objects that a file declares.
    private static func properties(in source: String) -> [String] {
        let start = /^(open class|extension) ManagedObject[ :{].*/
        let property = /^    (public|open)( internal\(set\))?( final)? var (\w+)\b.*/
        var isInside = false
        return source.split(separator: "\n").compactMap { line in
            if line.wholeMatch(of: start) != nil { isInside = !line.hasSuffix("{}") }
            if line == "}" { isInside = false }
            return isInside ? line.wholeMatch(of: property).map { String($0.4) } : nil
        }
    }

    /// Returns the strings of the list that a file assigns to a constant, sorted.
    private static func list(_ name: String, in path: String) throws -> [String] {
        let source = try Repository.text(path)
        let start = try #require(source.range(of: "static let \(name): Set<String> = ["))
        let end = try #require(source.range(of: "]", range: start.upperBound..<source.endIndex))
        let list = source[start.upperBound..<end.lowerBound]
        return list.matches(of: /"(\w+)"/).map { String($0.1) }.sorted()
    }
}
