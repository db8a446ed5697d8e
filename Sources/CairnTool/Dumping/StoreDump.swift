import Cairn
import Foundation

/// Writes stores as JSON lines, one for each object. Stores with equal content have equal lines on all
/// engines.
///
/// A line has `entity` (the concrete entity), `key`, and `values`, which contains each attribute and
/// relationship that is not nil or empty; see ``JSONValue``. Members of an unordered relationship are sorted
/// by entity and key.
///
/// The lines of several stores are sorted by root entity, then by store, then by key. Each line then also has
/// `store`, the number of the object's store, which begins at 1. References are to objects of the same store.
struct StoreDump {
    /// A snapshot of each store, in the order of the stores' numbers.
    let snapshots: [any StoreSnapshot]
    /// The row layouts of all stores.
    let layouts: RowLayouts
    var dates = DateOption.Form.iso8601

    private struct Line: Encodable {
        let entity: String
        let key: Int64
        /// Absent if there is only one store.
        let store: Int?
        let values: [String: JSONValue]
    }

    /// Calls the body with each line, including its line feed.
    ///
    /// A value whose file is missing is shown as null.
    ///
    /// - Parameter missing: counts and names the values whose files are missing.
    /// - Throws: the errors of the snapshots and of the body.
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

    /// Returns the properties of an object for its line.
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
