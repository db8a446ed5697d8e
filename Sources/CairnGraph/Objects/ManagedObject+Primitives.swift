import CairnModel

/// What custom accessors are made of: the object's own storage, and what goes before and after.
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
/// - Precondition: of all of them, the calling thread is in a turn of the object's context.
extension ManagedObject {
    /// Makes sure that the object has its values: fires a fault. Tells the Observation framework
    /// that the property is read.
    ///
    /// - Parameter key: of the property that is about to be read; nil: any.
    public final func willAccessValue(forKey key: String?) {
        checkTurn()
        if let successor { return successor.willAccessValue(forKey: key) }
        if let key, let storage = observedStorage(key) { noteRead(of: storage) }
        guard isFault else { return }
        do throws(GraphError) {
            _ = try realizedRow()
        } catch {
            report(error)
        }
    }

    /// The counterpart of ``willAccessValue(forKey:)``; nothing is held in between.
    public final func didAccessValue(forKey key: String?) {}

    /// To be called before a primitive value is set: fires a fault, and makes the object one with
    /// changes, so that what was before can be taken back.
    public final func willChangeValue(forKey key: String) {
        checkTurnToChange()
        willAccessValue(forKey: nil)
        guard let owner, !isFault else { return }
        owner.tracker.note(self, .updated)
        if let storage = observedStorage(key) { willChange(storage) }
    }

    /// To be called after a primitive value was set: the object is one with changes.
    public final func didChangeValue(forKey key: String) {
        guard let owner, !isFault else { return }
        owner.tracker.note(self, .updated)
        if let storage = observedStorage(key) { didChange(storage) }
    }

    /// Where a property's value is; nil where nobody observes it, and for what has no value.
    private final func observedStorage(_ key: String) -> PropertySlot? {
        guard kind.observation != nil, let binding = try? kind.binding(key) else { return nil }
        switch binding {
        case .attribute(let binding): return binding.storage
        case .relationship(let binding): return binding.storage
        case .fetchedProperty: return nil
        }
    }

    /// The stored value of an attribute or to-one, as ``value(forKey:)`` gives it, without asking
    /// ``computedValue(ofTransient:)``, and of a transformable attribute the stored bytes as `Data`; nil for a
    /// fault, which stays one, and for other properties.
    public final func primitiveValue(forKey key: String) -> Any? {
        checkTurn()
        if let successor { return successor.primitiveValue(forKey: key) }
        guard let binding = try? kind.binding(key) else { return nil }
        switch binding {
        case .attribute(let binding): return primitive(at: binding.storage).anyValue
        case .relationship(let binding) where !binding.isToMany:
            guard case .objectID(let id) = primitive(at: binding.storage) else { return nil }
            guard let owner else {
                report(.objectGone(objectID))
                return nil
            }
            return owner.registeredOrFault(id)
        default: return nil
        }
    }

    /// Sets the stored value of an attribute, which of a transformable one is the bytes as `Data`, or this end
    /// of a to-one: nobody is told, and no inverse changes. Between ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)`` it is a
    /// change that a save writes; on its own it lasts as long as the object has its values.
    ///
    /// - Throws: `.unknownProperty`, `.wrongType` for a value that does not fit, and for a to-many;
    ///   `.objectGone`, `.store`.
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
            throw misfit(value, for: binding)
        case .relationship(let binding) where !binding.isToMany:
            if let object = value as? ManagedObject {
                owner?.tracker.noteOneSidedLink()
                return (.objectID(object.objectID), binding.storage)
            }
            if value.isNothing { return (.null, binding.storage) }
            throw wrongType(key, expected: "an object", found: describe(value))
        default:
            throw wrongType(
                key, expected: "no primitive value: change its members", found: describe(value))
        }
    }

    final func primitive(at storage: PropertySlot) -> Value {
        switch storage {
        case .row(let slot):
            if let value = overlay?.value(at: slot) { return value }
            guard let row else { return .null }
            do throws(GraphError) {
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
