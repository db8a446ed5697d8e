import Cairn
import CairnStore

/// The keys of the objects to which references of several stores may lead.
struct ReferenceKeys {
    /// The target of references, by names, because each store is opened with its own model.
    private struct Target: Hashable {
        let entity: String
        /// `nil` for the URI.
        let attribute: String?

        init(_ target: ReferenceTarget) {
            entity = target.entity.name
            attribute = target.key?.name
        }
    }

    private var keys: [Target: Set<Value>] = [:]

    /// Reads the stores, unless no model has references.
    ///
    /// - Throws: The errors of the snapshots.
    init(in stores: [(snapshot: any StoreSnapshot, layouts: RowLayouts)]) throws {
        let wanted = Set(
            stores.flatMap { $0.layouts.model.entities.flatMap(\.attributes) }
                .compactMap(\.reference).map(Target.init))
        for (snapshot, layouts) in stores {
            for target in wanted {
                guard let entity = layouts.model.entity(named: target.entity) else { continue }
                try ObjectReader(snapshot: snapshot, layouts: layouts).forEach(of: entity) {
                    guard let key = Self.key(of: $0, target) else { return }
                    keys[target, default: []].insert(key)
                }
            }
        }
    }

    private static func key(of object: ObjectReader.Object, _ target: Target) -> Value? {
        guard let attribute = target.attribute else {
            return .uri(object.row.id.uriRepresentation())
        }
        let index = object.layout.properties.firstIndex { $0.name == attribute }
        return index.map { object.row.value(object.layout.slots[$0]) }
    }

    /// Returns whether a key leads to no object. Returns `false` if no store has objects of the reference's entity,
    /// because they are in another store.
    func isMissing(_ key: Value, of target: ReferenceTarget) -> Bool {
        guard !key.isNull, let present = keys[Target(target)] else { return false }
        return !present.contains(key)
    }
}
