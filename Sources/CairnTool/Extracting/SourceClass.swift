/// A class that a source file declares.
struct SourceClass: Hashable {
    /// The name, including the types in which the class is nested: `Outer.Inner`.
    let name: String
    /// The last part of the superclass's name. `nil` if it has neither superclass nor protocol.
    let superclass: String?
    /// Whether the class has the attribute `@Entity`.
    let isEntity: Bool
    /// Whether the class is private to its file.
    let isPrivate: Bool
    /// Whether `cairn model generate` wrote it as the superclass of the entity's class.
    let isGeneratedPart: Bool

    /// The name without the types in which the class is nested.
    var ownName: String { name.split(separator: ".").last.map(String.init) ?? name }
}
