import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plugin that provides the macros.
@main struct CairnMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        CompositeMacro.self, EntityMacro.self, EntityPropertyMacro.self, MarkerMacro.self,
        PropertyListMacro.self,
    ]
}
