import CairnModel
import CairnStack

/// The members of an unordered to-many relationship, as a property of a class.
///
/// ```swift
/// @Managed var books: Members<Book>
///
/// author.books.insert(book)
/// for book in author.books { … }
/// author.books = [first, second]
/// ```
///
/// The value always shows the current members. The members' IDs are fetched when they are first needed, and
/// the members are fetched one by one. Inserting or removing a member does not fetch the others.
///
/// A failure is reported to ``ManagedObjectContext/faultFailureHandler``, and nothing changes. The methods of
/// the same names in ``ObjectSet`` throw instead.
public struct Members<Element: ManagedObject>: Sequence {
    /// Either the relationship of an object, or objects that will become the members of a relationship.
    private enum Source {
        case relationship(ObjectSet<Element>)
        case list([Element])
    }

    private let source: Source

    init(_ set: ObjectSet<Element>) { source = .relationship(set) }

    /// Creates a value to assign to a property: exactly these objects become the members.
    public init(_ members: some Sequence<Element>) { source = .list(Array(members)) }

    /// The number of members. Does not fetch members.
    public var count: Int {
        switch source {
        case .relationship(let set): set.count
        case .list(let members): members.count
        }
    }

    /// Whether there are no members. Does not fetch members.
    public var isEmpty: Bool { count == 0 }

    /// Returns an iterator over the current members. They are faults unless they were fetched before.
    public func makeIterator() -> AnyIterator<Element> {
        switch source {
        case .relationship(let set): set.makeIterator()
        case .list(let members): AnyIterator(members.makeIterator())
        }
    }

    /// Returns whether the object is a member. Does not read the other members, unless the relationship has
    /// no inverse.
    public func contains(_ member: Element) -> Bool {
        switch source {
        case .relationship(let set):
            set.owner.reporting(false) { () throws(GraphError) in try set.contains(member) }
        case .list(let members): members.contains(member)
        }
    }

    /// Adds a member, and updates its inverse.
    public func insert(_ member: Element) {
        change { set throws(GraphError) in try set.insert(member) }
    }

    /// Removes a member, and updates its inverse.
    public func remove(_ member: Element) {
        change { set throws(GraphError) in try set.remove(member) }
    }

    /// Adds members. Objects that are already members are ignored.
    public func formUnion(_ members: some Sequence<Element>) {
        change { set throws(GraphError) in try set.formUnion(members) }
    }

    /// Removes members. Objects that are not members are ignored.
    public func subtract(_ members: some Sequence<Element>) {
        change { set throws(GraphError) in try set.subtract(members) }
    }

    /// Removes all members, and removes the owner from their inverses. The objects are not deleted.
    public func removeAll() {
        change { set throws(GraphError) in try set.removeAll() }
    }

    private func change(_ body: (ObjectSet<Element>) throws(GraphError) -> Void) {
        guard case .relationship(let set) = source else { return }
        set.owner.reporting(()) { () throws(GraphError) in try body(set) }
    }
}

extension Members: ExpressibleByArrayLiteral {
    /// Creates a value to assign to a property: exactly these objects become the members.
    public init(arrayLiteral members: Element...) { self.init(members) }
}

extension Members: ManagedProperty {
    /// A to-many relationship to the class of the members.
    public static var _shape: _Property.Shape { .toMany(Element.self, isOrdered: false) }

    /// Returns `nil`. Members are always found by the general path.
    @inlinable public static func _quickValue(of object: ManagedObject, at mark: _Property.Mark)
        -> Self?
    {
        nil
    }

    /// Returns the members of the object's relationship. Does not fetch anything.
    public static func _generalValue(of object: ManagedObject, at mark: _Property.Mark) -> Self {
        guard let (owner, binding) = object.markedMembers(at: mark) else { return [] }
        return Members(ObjectSet(owner: owner, binding: binding))
    }

    /// Returns an empty value.
    public static func _probeValue(_ destination: ManagedObject?) -> Self { [] }

    /// Makes exactly these objects the members. If that fails, reports the failure.
    public static func _setValue(_ value: Self, of object: ManagedObject, at mark: _Property.Mark) {
        let members = Array(value)
        _generalValue(of: object, at: mark).change { set throws(GraphError) in
            try set.replaceAll(with: members)
        }
    }
}
