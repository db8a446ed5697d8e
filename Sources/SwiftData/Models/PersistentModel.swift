@_exported public import Observation

/// A class whose instances a ``ModelContext`` stores. ``Model()`` makes a class conform.
///
/// A model lives without a context until ``ModelContext/insert(_:)``. Until then, its values are in memory only, and
/// a change of one end of a relationship does not change the other end.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// Creates an instance that has the values of its backing data. Contexts call this.
    init(backingData: BackingData)

    /// The values of the model.
    var persistentBackingData: BackingData { get }

    /// Gives the model other values. Contexts call this.
    func _setBacking(_ backing: _ModelBacking)

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
    public var hasChanges: Bool { persistentBackingData.hasChanges }

    /// Whether the next save deletes the model.
    public var isDeleted: Bool { persistentBackingData.isDeleted }

    /// Returns whether two references are to the same model.
    public static func == (left: Self, right: Self) -> Bool { left === right }

    /// Hashes the model's identity in memory.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
