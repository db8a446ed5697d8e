/// A class that a source file declares.
struct SourceClass: Hashable {
    /// The name, after those of the types that it is in: `Outer.Inner`.
    let name: String
    /// The last part of the superclass's name. `nil` if it has neither superclass nor protocol.
    let superclass: String?
    /// Whether `@Entity` is written before it.
    let isEntity: Bool
    /// Whether no other file can use it.
    let isPrivate: Bool
    /// Whether `cairn model generate` wrote it as the superclass of the entity's class.
    let isGeneratedPart: Bool

    /// The name without those of the types that it is in.
    var ownName: String { name.split(separator: ".").last.map(String.init) ?? name }
}
