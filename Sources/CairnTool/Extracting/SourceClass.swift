/// A class that a source file declares.
struct SourceClass: Hashable {
    /// The full name, which includes the enclosing types: `Outer.Inner`.
    let name: String
    /// The last part of the superclass's name. `nil` if the class has no superclass and no protocol.
    let superclass: String?
    /// Whether the class has the attribute `@Entity`.
    let isEntity: Bool
    /// Whether the class is visible only in its own file.
    let isPrivate: Bool
    /// Whether `cairn model generate` wrote the class, as the superclass of an entity's class.
    let isGeneratedPart: Bool

    /// The name without the enclosing types.
    var ownName: String { name.split(separator: ".").last.map(String.init) ?? name }
}
