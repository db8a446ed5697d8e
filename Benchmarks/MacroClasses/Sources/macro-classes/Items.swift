import CairnMacros
import Foundation

/// An item whose class a macro writes.
@Entity final class MacroItem: ManagedObject {
    var name: String = ""
    var number: Int = 0
    var note: String?
    var folder: MacroFolder?
}

/// The destination of an item's relationship.
@Entity final class MacroFolder: ManagedObject {
    @Relationship(inverse: \MacroItem.folder) var items: Members<MacroItem>
}

/// The same item with properties that are declared by name.
final class NamedItem: ManagedObject {
    @Managed var name: String
    @Managed var number: Int
    @Managed var note: String?
    @Managed var folder: NamedFolder?
}

/// The destination of a named item's relationship.
final class NamedFolder: ManagedObject {
    @Managed var items: Members<NamedItem>
}

/// The same item with numbered slots.
final class NumberedItem: ManagedObject {
    override class var slotNames: [String] { ["name", "number", "note", "folder"] }

    var name: String { string(at: 0) ?? "" }
    var number: Int { Int(int64(at: 1)) }
    var note: String? { string(at: 2) }
    var folder: ManagedObject? { object(at: 3) }
}
