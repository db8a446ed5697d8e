import CairnModel
import CairnStack

/// The parts of custom accessors: access to the object's own storage, and the calls to make before and
/// after it.
///
/// ```swift
/// var title: String? {
///     get {
///         willAccessValue(forKey: "title")
///         defer { didAccessValue(forKey: "title") }
///         return primitiveValue(forKey: "title") as? String
///     }
///     set {
///         willChangeValue(forKey: "title")
///         setPrimitiveValue(newValue?.uppercased(), forKey: "title")
///         didChangeValue(forKey: "title")
///     }
/// }
/// ```
///
/// - Precondition: For all of these methods, the calling thread is in a turn of the object's context.
extension ManagedObject {
    /// Fires the object if it is a fault, so that it has its values. Tells the Observation framework that
    /// the property is read.
    ///
    /// - Parameter key: The name of the property that is about to be read. `nil` means any property.
    public final func willAccessValue(forKey key: String?) {
        checkTurn()
        if let successor { return successor.willAccessValue(forKey: key) }
        if let key, let storage = observedStorage(key) { noteRead(of: storage) }
        guard isFault else { return }
        do {
            _ = try realizedRow()
        } catch {
            report(error)
        }
    }

    /// The counterpart of ``willAccessValue(forKey:)``. It has no effect.
    public final func didAccessValue(forKey key: String?) {}

    /// Prepares a change of a primitive value. Call this before setting it. Fires a fault, and marks the
    /// object as changed so that the change can be undone.
    public final func willChangeValue(forKey key: String) {
        checkTurnToChange()
        willAccessValue(forKey: nil)
        guard let owner, !isFault else { return }
        owner.tracker.note(self, .updated)
        if let storage = observedStorage(key) { willChange(storage) }
    }

    /// Completes a change of a primitive value. Call this after setting it. Marks the object as changed.
    public final func didChangeValue(forKey key: String) {
        guard let owner, !isFault else { return }
        owner.tracker.note(self, .updated)
        if let storage = observedStorage(key) { didChange(storage) }
    }

    /// Returns where a property's value is stored. Returns `nil` if nothing observes the object, or if
    /// the property has no value of its own.
    private final func observedStorage(_ key: String) -> PropertySlot? {
        guard kind.observation != nil, let binding = try? kind.binding(key) else { return nil }
        switch binding {
        case .attribute(let binding): return binding.storage
        case .relationship(let binding): return binding.storage
        case .fetchedProperty: return nil
        }
    }

    /// Returns the stored value of an attribute or to-one relationship. Unlike ``value(forKey:)``, this
    /// does not call ``computedValue(ofTransient:)`` and does not fire a fault. The value of a
    /// transformable attribute is the stored bytes, as `Data`. Returns `nil` for other properties, and
    /// for a fault.
    public final func primitiveValue(forKey key: String) -> Any? {
        checkTurn()
        if let successor { return successor.primitiveValue(forKey: key) }
        guard let binding = try? kind.binding(key) else { return nil }
        switch binding {
        case .attribute(let binding): return primitive(at: binding.storage).anyValue
        case .relationship(let binding) where !binding.isToMany:
            guard case .objectID(let id) = primitive(at: binding.storage) else { return nil }
            guard let owner else {
                report(.objectGone(objectID, absence))
                return nil
            }
            return owner.registeredOrFault(id)
        default: return nil
        }
    }

    /// Sets the stored value of an attribute, or this end of a to-one relationship. The value of a
    /// transformable attribute is the bytes to store, as `Data`. Observers are not notified, and inverse
    /// relationships do not change.
    ///
    /// Between ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)``, this is a change that the
    /// next save writes. Without these calls, the object is not marked as changed, and the value lasts
    /// only until the object becomes a fault.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` if the value does not fit or the property is a
    ///   to-many relationship, `.objectGone`, `.store`.
    public final func setPrimitiveValue(_ value: Any?, forKey key: String) throws(GraphError) {
        checkTurnToChange()
        let (new, storage) = try converted(value, forKey: key)
        switch storage {
        case .row(let slot):
            _ = try realizedRow()
            writableOverlay.set(new, at: slot, slotCount: kind.layout.slots.count)
            readsRow = false
        case .object(let slot): writableOverlay.set(new, atExtra: slot)
        case .none: break
        }
    }

    private final func converted(
        _ value: Any?, forKey key: String
    ) throws(GraphError) -> (Value, PropertySlot) {
        switch try kind.binding(key) {
        case .attribute(let binding):
            if let converted = Value(any: value, for: binding.attribute) {
                return (converted, binding.storage)
            }
            throw mismatchError(value, for: binding)
        case .relationship(let binding) where !binding.isToMany:
            if let object = value as? ManagedObject {
                owner?.tracker.noteOneSidedLink()
                return (.objectID(object.objectID), binding.storage)
            }
            if value.isNothing { return (.null, binding.storage) }
            throw wrongType(key, expected: "a managed object or nil", found: describe(value))
        default:
            throw wrongType(
                key,
                expected:
                    "no primitive value, because only the members of a to-many relationship can be"
                    + " changed",
                found: describe(value))
        }
    }

    final func primitive(at storage: PropertySlot) -> Value {
        switch storage {
        case .row(let slot):
            if let value = overlay?.value(at: slot) { return value }
            guard let row else { return .null }
            do {
                return try storedValue(at: slot, in: row)
            } catch {
                report(error)
                return .null
            }
        case .object(let slot): return extraValue(at: slot)
        case .none: return .null
        }
    }
}
