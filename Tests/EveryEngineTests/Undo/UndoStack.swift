import Cairn
import CairnTestSupport

extension GraphStack {
    /// Runs the body in one turn of a context whose events can each be undone.
    ///
    /// - Parameter body: Also receives the coordinator, to read what other contexts see.
    func withUndo(
        _ body: @Sendable (ManagedObjectContext, PersistentStoreCoordinator) throws -> Void
    ) throws {
        try inContext { [coordinator] context in
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            try body(context, coordinator)
        }
    }
}

extension PersistentStoreCoordinator {
    /// Returns the picture that a new context sees.
    func picture() throws -> GraphPicture {
        try ContextHandle(coordinator: self).performAndWait { try GraphPicture($0) }
    }
}

/// The content of a graph: a line for each object, the same in every context and on every engine.
///
/// Objects are identified by `title` or `name`, which therefore must be unique and must not change.
struct GraphPicture: Sendable, Equatable, CustomStringConvertible {
    private let lines: [String]

    /// Creates a picture of the given objects.
    init(_ objects: [ManagedObject]) throws {
        var names: [ObjectID: String] = [:]
        for object in objects { names[object.objectID] = try Self.name(of: object) }
        lines = try objects.map { try Self.line(for: $0, names) }.sorted()
    }

    /// Creates a picture of all objects that a context sees.
    init(_ context: ManagedObjectContext) throws {
        let roots = context.managedObjectModel.entities.filter { $0.superentity == nil }
        try self.init(
            roots.flatMap { try Array(context.fetch(FetchRequest<ManagedObject>($0.name))) })
    }

    private static func name(of object: ManagedObject) throws -> String {
        let key = ["label", "title", "name"].first { object.entity.property(named: $0) != nil }
        guard let key, case .string(let name) = try object[key] else { return "?" }
        return "\(object.entity.name) \(name)"
    }

    private static func line(
        for object: ManagedObject, _ names: [ObjectID: String]
    ) throws -> String {
        let parts = try object.entity.properties.map { property in
            guard case .relationship(let relationship) = property, relationship.isToMany else {
                let value = try object[property.name]
                if case .objectID(let id) = value {
                    return "\(property.name): \(names[id] ?? "\(id) that is not there")"
                }
                return "\(property.name): \(value)"
            }
            let ids =
                relationship.isOrdered
                ? try object.orderedObjects(property.name).objectIDs()
                : try object.objects(property.name).objectIDs()
            let members = ids.map { names[$0] ?? "\($0) that is not there" }
            let shown = relationship.isOrdered ? members : members.sorted()
            return "\(property.name): \(shown)"
        }
        return "\(names[object.objectID] ?? "?") \(parts)"
    }

    var description: String { lines.joined(separator: "\n") }

    /// Throws an error with the first difference if the other picture is not equal.
    func require(_ other: GraphPicture, _ what: String) throws {
        if self == other { return }
        let (mine, theirs) = (Set(lines), Set(other.lines))
        throw Difference(
            what: what, expected: mine.subtracting(theirs).sorted(),
            found: theirs.subtracting(mine).sorted())
    }

    struct Difference: Error {
        let what: String
        let expected: [String]
        let found: [String]
    }
}
