import Cairn
import Foundation

/// The class of the reference entity.
package final class Item: ManagedObject {
    @Managed package var active: Bool
    @Managed package var category: Int64
    @Managed package var code: String
    @Managed package var created: Date
    @Managed package var folder: Folder?
    @Managed package var name: String
    @Managed package var note: String?
    @Managed package var number: Int64
    @Managed package var price: Double
    @Managed package var rating: Double
    @Managed package var title: String

    /// Sets all values and the to-one relationship, one by one.
    package func setAll(_ values: ItemValues, folder: Folder) {
        setAttributes(values)
        self.folder = folder
    }

    /// Sets all attributes, one by one.
    package func setAttributes(_ values: ItemValues) {
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
    package var digest: UInt64 {
        itemValues.digest(
            key: objectID.key, folder: folder?.objectID.key ?? 0,
            version: rowVersion ?? 0)
    }

    /// The values of all attributes.
    var itemValues: ItemValues {
        ItemValues(
            number: number, category: category, price: price, rating: rating, active: active,
            created: created, name: name, title: title, code: code, note: note)
    }
}

/// The class of the other entity.
package final class Folder: ManagedObject {
    @Managed package var name: String
}

extension ManagedObjectContext {
    /// Returns all items as realized objects, in the order of their keys.
    ///
    /// - Throws: `GraphError`.
    package func allItems() throws -> [Item] { try fetch(FetchRequest<Item>()) }
}
