import CairnObjects
import CairnStack

/// A path of one or more relationships, starting at objects of a class.
///
/// ```swift
/// try author.snapshot(including: .through(\.books, .through(\.chapters)), .through(\.mentor))
/// ```
public struct RelationshipPath<Object: ManagedObject> {
    /// The key paths of the steps. Each step starts at the class of the previous step's destination.
    let steps: [(path: AnyKeyPath, objectClass: ManagedObject.Type)]

    private init<Next: ManagedObject>(_ path: AnyKeyPath, _ next: RelationshipPath<Next>?) {
        steps = [(path, Object.self)] + (next?.steps ?? [])
    }

    /// Creates a path through a to-one relationship.
    ///
    /// - Parameters:
    ///   - path: The to-one relationship.
    ///   - next: The path that continues at the destination. `nil` ends the path.
    public static func through<Next: ManagedObject>(
        _ path: KeyPath<Object, Next?>, _ next: RelationshipPath<Next>? = nil
    ) -> Self {
        Self(path, next)
    }

    /// Creates a path through a to-many relationship.
    ///
    /// - Parameters:
    ///   - path: The to-many relationship.
    ///   - next: The path that continues at the members. `nil` ends the path.
    public static func through<Next: ManagedObject>(
        _ path: KeyPath<Object, Members<Next>>, _ next: RelationshipPath<Next>? = nil
    ) -> Self {
        Self(path, next)
    }

    /// Creates a path through an ordered to-many relationship.
    ///
    /// - Parameters:
    ///   - path: The ordered to-many relationship.
    ///   - next: The path that continues at the members. `nil` ends the path.
    public static func through<Next: ManagedObject>(
        _ path: KeyPath<Object, OrderedMembers<Next>>, _ next: RelationshipPath<Next>? = nil
    ) -> Self {
        Self(path, next)
    }

    /// Returns the names of the relationships, separated by dots.
    func names(_ resolver: KeyPathResolver) throws(GraphError) -> String {
        var names: [String] = []
        for step in steps {
            names += try resolver.names(of: step.path, from: step.objectClass)
        }
        return names.joined(separator: ".")
    }
}
