public import Observation

/// A class whose instances a ``ModelContext`` stores. ``Model()`` makes a class conform.
///
/// A model lives without a context until ``ModelContext/insert(_:)``. Until then, its values are in memory only, and
/// a change of one end of a relationship does not change the other end.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// Creates an instance that has the values of its backing data. Contexts call this.
    init(backingData: BackingData)

    /// The values of the model.
    var persistentBackingData: BackingData { get }

    /// The properties that the class declares itself, without inherited ones.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }
}

extension PersistentModel {
    /// The model's identity. A save replaces the identifier of a new model with a permanent one.
    public var persistentModelID: PersistentIdentifier {
        persistentBackingData.identifier(of: Self.self)
    }

    /// The same as ``persistentModelID``, unless the class declares an `id` of its own.
    public var id: PersistentIdentifier { persistentModelID }

    /// The context of the model. `nil` before the model is inserted, after its deletion was saved, and after the
    /// context was deallocated.
    public var modelContext: ModelContext? { persistentBackingData.liveContext }

    /// Whether the model has changes that the next save writes.
    public var hasChanges: Bool { persistentBackingData.object?.hasChanges ?? false }

    /// Whether the next save deletes the model.
    public var isDeleted: Bool { persistentBackingData.object?.isDeleted ?? false }

    /// Returns whether two references are to the same model.
    public static func == (left: Self, right: Self) -> Bool { left === right }

    /// Hashes the model's identity in memory.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// The accessors that `@Model` generates. Swift chooses one by the type of the property.
extension PersistentModel {
    /// Returns the value of an attribute.
    @_disfavoredOverload
    public func _value<Value: Codable>(_ path: KeyPath<Self, Value>, _ name: String) -> Value {
        readableBacking(path).attribute(name)
    }

    /// Sets an attribute.
    @_disfavoredOverload
    public func _setValue<Value: Codable>(
        _ value: Value, _ path: KeyPath<Self, Value>, _ name: String
    ) {
        change(path) { $0.setAttribute(value, name) }
    }

    /// Returns the destination of a to-one relationship that always has one.
    ///
    /// - Precondition: The relationship has a destination.
    public func _value<Other: PersistentModel>(_ path: KeyPath<Self, Other>, _ name: String)
        -> Other
    {
        guard let other = readableBacking(path).destination(name) as? Other else {
            preconditionFailure(
                "\(Self.self).\(name) is not optional, but has no destination; declare it as optional,"
                    + " or set it before reading it")
        }
        return other
    }

    /// Sets a to-one relationship.
    public func _setValue<Other: PersistentModel>(
        _ value: Other, _ path: KeyPath<Self, Other>, _ name: String
    ) {
        change(path) { $0.setDestination(value, name, of: self) }
    }

    /// Returns the destination of a to-one relationship, or `nil` if it has none.
    public func _value<Other: PersistentModel>(_ path: KeyPath<Self, Other?>, _ name: String)
        -> Other?
    {
        readableBacking(path).destination(name) as? Other
    }

    /// Sets a to-one relationship.
    public func _setValue<Other: PersistentModel>(
        _ value: Other?, _ path: KeyPath<Self, Other?>, _ name: String
    ) {
        change(path) { $0.setDestination(value, name, of: self) }
    }

    /// Returns the members of a to-many relationship.
    public func _value<Other: PersistentModel>(_ path: KeyPath<Self, [Other]>, _ name: String)
        -> [Other]
    {
        readableBacking(path).members(name) ?? []
    }

    /// Sets the members of a to-many relationship.
    public func _setValue<Other: PersistentModel>(
        _ value: [Other], _ path: KeyPath<Self, [Other]>, _ name: String
    ) {
        change(path) { $0.setMembers(value, name, of: self) }
    }

    /// Returns the members of a to-many relationship. An optional one is `nil` only before it is inserted.
    public func _value<Other: PersistentModel>(_ path: KeyPath<Self, [Other]?>, _ name: String)
        -> [Other]?
    {
        readableBacking(path).members(name)
    }

    /// Sets the members of a to-many relationship. `nil` means none.
    public func _setValue<Other: PersistentModel>(
        _ value: [Other]?, _ path: KeyPath<Self, [Other]?>, _ name: String
    ) {
        change(path) { $0.setMembers(value, name, of: self) }
    }

    private func readableBacking<Value>(_ path: KeyPath<Self, Value>) -> BackingData {
        let backing = persistentBackingData
        backing.observedRegistrar.access(self, keyPath: path)
        return backing
    }

    private func change<Value>(_ path: KeyPath<Self, Value>, _ body: (BackingData) -> Void) {
        let backing = persistentBackingData
        defer { backing.hold(self) }
        // Nobody observes a model that was never read.
        guard let registrar = backing.registrar else { return body(backing) }
        registrar.withMutation(of: self, keyPath: path) { body(backing) }
    }
}
