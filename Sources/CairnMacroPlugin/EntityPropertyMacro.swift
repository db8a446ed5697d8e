import SwiftSyntax
import SwiftSyntaxMacros

/// Gives a stored property its mark, and accessors that use it.
struct EntityPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = EntityProperty(declaration) else { return [] }
        let (name, type) = (property.name, property.type)
        // With the class's name, a wrong type is one mistake, and not one of each key path, too.
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
        // Final, as what a property wrapper stores is: the key path of a property that a subclass could
        // override leads to its accessors, and not to its address.
        return ["private final var _\(raw: property.plainName) = Managed<\(raw: property.type)>()"]
    }
}
