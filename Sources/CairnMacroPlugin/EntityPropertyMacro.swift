import SwiftSyntax
import SwiftSyntaxMacros

/// The macro that adds the mark of a stored property, and accessors that use the mark.
struct EntityPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = EntityProperty(declaration) else { return [] }
        let (name, type) = (property.name, property.type)
        // Because the class's name is written, a wrong type causes a single error, and not also one for each
        // key path.
        let root = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.text ?? ""
        return [
            """
            get {
                Managed<\(raw: type)>[_enclosingInstance: self, wrapped: \\\(raw: root).\(raw: name), storage: \\\(raw: root)._\(raw: property.plainName)]
            }
            """,
            """
            set {
                Managed<\(raw: type)>[_enclosingInstance: self, wrapped: \\\(raw: root).\(raw: name), storage: \\\(raw: root)._\(raw: property.plainName)] = newValue
            }
            """,
        ]
    }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let property = EntityProperty(declaration) else { return [] }
        // The mark is final, like the storage of a property wrapper. The key path of a property that a
        // subclass could override refers to its accessors, and not to its offset.
        return ["private final var _\(raw: property.plainName) = Managed<\(raw: property.type)>()"]
    }
}
