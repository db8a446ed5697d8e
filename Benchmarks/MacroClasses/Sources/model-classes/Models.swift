import Foundation
import SwiftData

/// An item whose class SwiftData's macro writes.
@Model final class ModelItem {
    var name: String = ""
    var number: Int = 0
    var note: String?
    var folder: ModelFolder?

    init(name: String, number: Int, note: String?, folder: ModelFolder) {
        self.name = name
        self.number = number
        self.note = note
        self.folder = folder
    }
}

/// The destination of an item's relationship.
@Model final class ModelFolder {
    @Relationship(inverse: \ModelItem.folder) var items: [ModelItem] = []

    init() {}
}
