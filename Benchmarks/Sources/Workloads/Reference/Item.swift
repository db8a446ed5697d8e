import Cairn
import Foundation

/// The class of the reference entity in the form that a generator writes, with constant slot numbers.
final class Item: ManagedObject {
    /// The indices of the properties in ``slotNames``.
    enum Slot {
        static let active: ClassSlot = 0
        static let category: ClassSlot = 1
        static let code: ClassSlot = 2
        static let created: ClassSlot = 3
        static let folder: ClassSlot = 4
        static let name: ClassSlot = 5
        static let note: ClassSlot = 6
        static let number: ClassSlot = 7
        static let price: ClassSlot = 8
        static let rating: ClassSlot = 9
        static let title: ClassSlot = 10
    }

    override class var slotNames: [String] {
        [
            "active", "category", "code", "created", "folder", "name", "note", "number", "price",
            "rating", "title",
        ]
    }

    var active: Bool { bool(at: Slot.active) }
    var category: Int64 { int64(at: Slot.category) }
    var code: String { string(at: Slot.code) ?? "" }
    var created: Date { date(at: Slot.created) ?? .distantPast }
    var folder: Folder? { object(at: Slot.folder, as: Folder.self) }
    var name: String { string(at: Slot.name) ?? "" }
    var note: String? { string(at: Slot.note) }
    var number: Int64 { int64(at: Slot.number) }
    var price: Double { double(at: Slot.price) }
    var rating: Double { double(at: Slot.rating) }
    var title: String { string(at: Slot.title) ?? "" }

    /// Sets all values and the to-one relationship, one by one.
    ///
    /// - Throws: `GraphError`.
    func setAll(_ values: ItemValues, folder: Folder) throws(GraphError) {
        setAttributes(values)
        try setObject(folder, at: Slot.folder)
    }

    /// Sets all attributes, one by one.
    func setAttributes(_ values: ItemValues) {
        setBool(values.active, at: Slot.active)
        setInt64(values.category, at: Slot.category)
        setString(values.code, at: Slot.code)
        setDate(values.created, at: Slot.created)
        setString(values.name, at: Slot.name)
        setString(values.note, at: Slot.note)
        setInt64(values.number, at: Slot.number)
        setDouble(values.price, at: Slot.price)
        setDouble(values.rating, at: Slot.rating)
        setString(values.title, at: Slot.title)
    }

    /// A digest of all values of the object.
    var digest: UInt64 {
        let values = ItemValues(
            number: number, category: category, price: price, rating: rating, active: active,
            created: created, name: name, title: title, code: code, note: note)
        return values.digest(
            key: objectID.key, folder: objectID(at: Slot.folder)?.key ?? 0,
            version: rowVersion ?? 0)
    }
}

/// The class of the other entity.
final class Folder: ManagedObject {
    enum Slot {
        static let name: ClassSlot = 0
    }

    var name: String { string(at: Slot.name) ?? "" }
}
