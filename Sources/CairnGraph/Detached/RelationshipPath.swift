/// Relationships that are followed one after the other, from objects of a class.
///
/// ```swift
/// try author.snapshot(including: .through(\.books, .through(\.chapters)), .through(\.mentor))
/// ```
public struct RelationshipPath<Object: ManagedObject> {
    /// The key paths of the steps, each from the class that the step before it leads to.
    let steps: [(path: AnyKeyPath, objectClass: ManagedObject.Type)]

    private init<Next: ManagedObject>(_ path: AnyKeyPath, _ next: RelationshipPath<Next>?) {
        steps = [(path, Object.self)] + (next?.steps ?? [])
    }

    /// Follows a to-one.
    ///
    /// - Parameter next: where to go from there. `nil` ends the path.
    public static func through<Next: ManagedObject>(
        _ path: KeyPath<Object, Next?>, _ next: RelationshipPath<Next>? = nil
    ) -> Self {
        Self(path, next)
    }

    /// Follows a to-many.
    ///
    /// - Parameter next: where to go from there. `nil` ends the path.
    public static func through<Next: ManagedObject>(
        _ path: KeyPath<Object, Members<Next>>, _ next: RelationshipPath<Next>? = nil
    ) -> Self {
        Self(path, next)
    }

    /// Follows an ordered to-many.
    ///
    /// - Parameter next: where to go from there. `nil` ends the path.
    public static func through<Next: ManagedObject>(
        _ path: KeyPath<Object, OrderedMembers<Next>>, _ next: RelationshipPath<Next>? = nil
    ) -> Self {
        Self(path, next)
    }

    /// The names of the relationships, separated by points.
    func names(_ resolver: KeyPathResolver) throws(GraphError) -> String {
        var names: [String] = []
        for step in steps {
            names += try resolver.names(of: step.path, from: step.objectClass)
        }
        return names.joined(separator: ".")
    }
}
