import SwiftSyntax
import SwiftSyntaxMacros

/// A macro that ``EntityMacro`` reads, and that expands to nothing itself.
struct MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let name = "@\(node.attributeName.trimmedDescription)"
        let isElement = name == "@Attribute" && context.isInType(with: "Composite")
        if !context.isInType(with: "Entity"), !isElement {
            context.diagnose(EntityMistake.noEntity(name).diagnostic(at: node))
        }
        return []
    }
}
