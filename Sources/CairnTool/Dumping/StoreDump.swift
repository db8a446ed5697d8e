import Cairn
import CairnStore
import Foundation

/// A dump of stores as JSON lines, one object per line. Equal stores give equal bytes on any engine.
///
/// A line contains `entity` (the concrete entity), `key` and `values`. `values` contains each attribute and
/// relationship that is not nil or empty: see ``JSONValue``. Members of an unordered relationship are sorted
/// by entity and key.
///
/// If there are several stores, lines are sorted by root entity, then by store, then by key. Each line also
/// contains `store`, the number of the object's store, starting at 1. References always lead to objects of
/// the same store.
struct StoreDump {
    /// The snapshots of the stores, in the order of the stores' numbers.
    let snapshots: [any StoreSnapshot]
    /// The layouts, which all stores share.
    let layouts: RowLayouts
    var dates = DateOption.Form.iso8601

    private struct Line: Encodable {
        let entity: String
        let key: Int64
        /// The number of the store. `nil` if there is only one store.
        let store: Int?
        let values: [String: JSONValue]
    }

    /// Calls the body with each line, including its line feed.
    ///
    /// A value whose file is missing is left out, like nil.
    ///
    /// - Parameter missing: Counts and prints the values whose files are missing.
    /// - Throws: The errors of the snapshots and of the body.
    func write(
        noting missing: inout MissingDataReport, _ body: (Data) throws -> Void
    ) throws {
        let encoder = JSONEncoder.forTool(pretty: false)
        for root in ObjectReader.roots(of: layouts.model) {
            for (index, snapshot) in snapshots.enumerated() {
                let reader = ObjectReader(snapshot: snapshot, layouts: layouts)
                try reader.forEach(of: root) { object in
                    let line = Line(
                        entity: object.layout.entity.name, key: object.row.key,
                        store: snapshots.count > 1 ? index + 1 : nil,
                        values: try values(of: object, in: snapshot, noting: &missing))
                    try body(try encoder.encode(line) + Data("\n".utf8))
                }
            }
        }
    }

    /// Returns the values of an object's properties, as a line shows them.
    func values(
        of object: ObjectReader.Object, in snapshot: any StoreSnapshot,
        noting missing: inout MissingDataReport
    ) throws(StoreError) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for (property, slot) in zip(object.layout.properties, object.layout.slots)
        where !object.row.isNull(slot) {
            let value = try object.layout.value(
                of: property, at: slot, in: object.row, noting: &missing
            ) { (reference) throws(StoreError) in try snapshot.externalData(reference) }
            if value.isNull { continue }
            values[property.name] = JSONValue(value, model: layouts.model, dates: dates)
        }
        for (relationship, ids) in object.members where !ids.isEmpty {
            let ordered =
                relationship.isOrdered
                ? ids : ids.sorted { ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key) }
            values[relationship.name] = .array(
                ordered.map { .text($0.shortName(in: layouts.model)) })
        }
        return values
    }
}
