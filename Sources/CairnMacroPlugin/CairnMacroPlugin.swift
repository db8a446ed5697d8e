import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros

/// The compiler plug-in that provides the macros.
@main struct CairnMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        CompositeMacro.self, EntityMacro.self, EntityPropertyMacro.self, FetchedPropertyMacro.self,
        MarkerMacro.self, ModelActorMacro.self, ModelMacro.self, ModelMarkerMacro.self,
        PersistedPropertyMacro.self, PropertyListMacro.self,
    ]
}

/// A macro that expands to nothing. ``EntityMacro`` and ``CompositeMacro`` read it.
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
