import SwiftSyntax
import SwiftSyntaxMacros

/// A macro that ``EntityMacro`` reads, and that expands to nothing itself.
struct MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if context.enclosingEntity == nil {
            let name = "@\(node.attributeName.trimmedDescription)"
            context.diagnose(EntityMistake.noEntity(name).diagnostic(at: node))
        }
        return []
    }
}
