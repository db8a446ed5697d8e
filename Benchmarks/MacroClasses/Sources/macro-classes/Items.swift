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
