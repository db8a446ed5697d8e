import Cairn
import Foundation

/// The class of the reference entity.
final class Item: ManagedObject {
    @Managed var active: Bool
    @Managed var category: Int64
    @Managed var code: String
    @Managed var created: Date
    @Managed var folder: Folder?
    @Managed var name: String
    @Managed var note: String?
    @Managed var number: Int64
    @Managed var price: Double
    @Managed var rating: Double
    @Managed var title: String

    /// Sets all values and the to-one relationship, one by one.
    func setAll(_ values: ItemValues, folder: Folder) {
        setAttributes(values)
        self.folder = folder
    }

    /// Sets all attributes, one by one.
    func setAttributes(_ values: ItemValues) {
        active = values.active
        category = values.category
        code = values.code
        created = values.created
        name = values.name
        note = values.note
        number = values.number
        price = values.price
        rating = values.rating
        title = values.title
    }

    /// A digest of all values of the object.
    var digest: UInt64 {
        let values = ItemValues(
            number: number, category: category, price: price, rating: rating, active: active,
            created: created, name: name, title: title, code: code, note: note)
        return values.digest(
            key: objectID.key, folder: folder?.objectID.key ?? 0,
            version: rowVersion ?? 0)
    }
}

/// The class of the other entity.
final class Folder: ManagedObject {
    @Managed var name: String
}
