import CairnModel
import CairnStack

/// The members of an ordered to-many relationship, in order, as a property of a class.
///
/// ```swift
/// @Managed var chapters: OrderedMembers<Chapter>
///
/// book.chapters.append(chapter)
/// book.chapters.insert(preface, at: 0)
/// let first = book.chapters[0]
/// ```
///
/// The value always shows the current members. The members' IDs are fetched when they are first needed, and
/// the members are fetched one by one. Appending a member does not fetch the others.
///
/// A failure is reported to ``ManagedObjectContext/faultFailureHandler``, and nothing changes. The methods of
/// the same names in ``OrderedObjects`` throw instead.
public struct OrderedMembers<Element: ManagedObject>: Sequence {
    /// Either the relationship of an object, or objects that will become the members of a relationship.
    private enum Source {
        case relationship(OrderedObjects<Element>)
        case list([Element])
    }

    private let source: Source

    init(_ objects: OrderedObjects<Element>) { source = .relationship(objects) }

    /// Creates a value to assign to a property: exactly these objects become the members, in this order.
    public init(_ members: some Sequence<Element>) { source = .list(Array(members)) }

    /// The number of members. Does not fetch members.
    public var count: Int {
        switch source {
        case .relationship(let objects): objects.count
        case .list(let members): members.count
        }
    }

    /// Whether there are no members. Does not fetch members.
    public var isEmpty: Bool { count == 0 }

    /// Returns an iterator over the current members, in order. They are faults unless they were fetched
    /// before.
    public func makeIterator() -> AnyIterator<Element> {
        switch source {
        case .relationship(let objects): objects.makeIterator()
        case .list(let members): AnyIterator(members.makeIterator())
        }
    }

    /// The member at an index. It is a fault unless it was fetched before.
    ///
    /// - Precondition: `index` is in `0..<count`.
    public subscript(index: Int) -> Element {
        guard let member = member(at: index) else {
            preconditionFailure("the index \(index) is out of range: it must be in 0..<\(count)")
        }
        return member
    }

    private func member(at index: Int) -> Element? {
        switch source {
        case .relationship(let objects):
            objects.owner.reporting(nil) { () throws(GraphError) in try objects.member(at: index) }
        case .list(let members): members.indices.contains(index) ? members[index] : nil
        }
    }

    /// The first member, or `nil` if there are no members.
    public var first: Element? { member(at: 0) }
    /// The last member, or `nil` if there are no members.
    public var last: Element? { member(at: count - 1) }

    /// Returns whether the object is a member. Does not read the other members, unless the relationship has
    /// no inverse.
    public func contains(_ member: Element) -> Bool {
        switch source {
        case .relationship(let objects):
            objects.owner.reporting(false) { () throws(GraphError) in try objects.contains(member) }
        case .list(let members): members.contains(member)
        }
    }

    /// Returns the index of a member, or `nil` if the object is not a member.
    public func firstIndex(of member: Element) -> Int? {
        switch source {
        case .relationship(let objects):
            objects.owner.reporting(nil) { () throws(GraphError) in try objects.index(of: member) }
        case .list(let members): members.firstIndex(of: member)
        }
    }

    /// Adds a member at the end. An object that is already a member keeps its position.
    public func append(_ member: Element) {
        change { objects throws(GraphError) in try objects.append(member) }
    }

    /// Inserts a member at an index. An object that is already a member is moved to the index. An index
    /// beyond the end means the end.
    public func insert(_ member: Element, at index: Int) {
        change { objects throws(GraphError) in try objects.insert(member, at: index) }
    }

    /// Moves a member to an index among the other members. Has no effect if the object is not a member.
    public func move(_ member: Element, to index: Int) {
        change { objects throws(GraphError) in try objects.move(member, to: index) }
    }

    /// Removes a member, and updates its inverse.
    public func remove(_ member: Element) {
        change { objects throws(GraphError) in try objects.remove(member) }
    }

    /// Removes the member at an index. An index beyond the end is ignored.
    public func remove(at index: Int) {
        change { objects throws(GraphError) in try objects.remove(at: index) }
    }

    /// Removes all members, and removes the owner from their inverses. The objects are not deleted.
    public func removeAll() {
        change { objects throws(GraphError) in try objects.removeAll() }
    }

    private func change(_ body: (OrderedObjects<Element>) throws(GraphError) -> Void) {
        guard case .relationship(let objects) = source else { return }
        objects.owner.reporting(()) { () throws(GraphError) in try body(objects) }
    }
}

extension OrderedMembers: ExpressibleByArrayLiteral {
    /// Creates a value to assign to a property: exactly these objects become the members, in this order.
    public init(arrayLiteral members: Element...) { self.init(members) }
}

extension OrderedMembers: ManagedProperty {
    /// An ordered to-many relationship to the class of the members.
    public static var _shape: _Property.Shape { .toMany(Element.self, isOrdered: true) }

    /// Returns `nil`. Members are always found by the general path.
    @inlinable public static func _quickValue(of object: ManagedObject, at mark: _Property.Mark)
        -> Self?
    {
        nil
    }

    /// Returns the members of the object's relationship. Does not fetch anything.
    public static func _generalValue(of object: ManagedObject, at mark: _Property.Mark) -> Self {
        guard let (owner, binding) = object.markedMembers(at: mark) else { return [] }
        return OrderedMembers(OrderedObjects(owner: owner, binding: binding))
    }

    /// Returns an empty value.
    public static func _probeValue(_ destination: ManagedObject?) -> Self { [] }

    /// Makes exactly these objects the members, in this order. If that fails, reports the failure.
    public static func _setValue(_ value: Self, of object: ManagedObject, at mark: _Property.Mark) {
        let members = Array(value)
        _generalValue(of: object, at: mark).change { objects throws(GraphError) in
            try objects.replaceAll(with: members)
        }
    }
}
