import CairnModel
import CairnRows
import CairnStack

/// The text that describes a managed object, without reading from a store.
struct ObjectDescription {
    private let object: ManagedObject

    init(of object: ManagedObject) {
        self.object = object
    }

    var text: String {
        let address = "\(Uncounted(object).pointer)"
        return "<\(type(of: object)): \(address) (entity: \(object.entity.name);"
            + " id: \(object.objectID); data: \(data))>"
    }

    private var data: String {
        guard let owner = object.owner else { return "<in no context>" }
        guard owner.queue.isCurrent else {
            return "<not shown outside a turn of the context “\(owner.queue.ownerLock.name)”>"
        }
        if object.state.contains(.gone) { return "<in no store>" }
        if object.isFault, object.overlay == nil { return "<fault>" }
        let properties = object.entity.properties.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        let lines = properties.compactMap { property in
            value(of: property).map { "\n    \(property.name) = \($0);" }
        }
        return "{\(lines.joined())\n}"
    }

    /// Returns the text of a property's value, or `nil` for a fetched property, which has no value.
    private func value(of property: Property) -> String? {
        switch PropertySlot(of: property) {
        case .none: nil
        case .row(let slot): value(at: slot)
        case .object(let slot):
            if case .relationship(let relationship) = property, relationship.isToMany {
                members(at: slot)
            } else {
                text(object.extraValue(at: slot))
            }
        }
    }

    private func value(at slot: RowSlot) -> String {
        if let value = object.overlay?.value(at: slot) { return text(value) }
        guard let row = object.row else { return "<fault>" }
        let layoutSlot = object.kind.layout[slot]
        if layoutSlot.kind == .externalBinary, !row.isNull(layoutSlot),
            case .reference = row.externalBinary(layoutSlot)
        {
            return "<external data>"
        }
        return text(object.raw(layoutSlot, in: row))
    }

    private func members(at slot: ObjectSlot) -> String {
        guard let members = object.overlay?.members(at: slot), !members.isFault else {
            return object.isInserted ? "0 objects" : "<relationship fault>"
        }
        return members.count == 1 ? "1 object" : "\(members.count) objects"
    }

    /// Returns the text of a value. Strings are quoted to distinguish the empty string and the string
    /// “nil”.
    private func text(_ value: Value) -> String {
        if case .string(let text) = value { text.debugDescription } else { "\(value)" }
    }
}
