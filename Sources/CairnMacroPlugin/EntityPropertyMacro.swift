import SwiftSyntax
import SwiftSyntaxMacros

/// The `@EntityProperty` macro, which adds a mark to a stored property, and accessors that use the mark.
struct EntityPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = EntityProperty(declaration) else { return [] }
        let (name, type) = (property.name, property.type)
        // Naming the class avoids an error for each key path in addition to the one for a wrong type.
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
        // The mark is final, like the storage of a property wrapper. A key path of a property that a subclass
        // could override would lead to its accessors and not to its address.
        return ["private final var _\(raw: property.plainName) = Managed<\(raw: property.type)>()"]
    }
}
