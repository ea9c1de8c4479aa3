// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/scalar/math/integral_tables.h: the polynomials of integrals.h, fitted for Weft. They are
// Chebyshev series computed with 50 digits, as powers of t. t is -1 and 1 at the ends of the range.
// The highest coefficient is first.
#pragma once

namespace weft::math::detail {

// D(x) in [1/2, 3/2]
inline constexpr double dawson_low[] = {
    -0x1.c4f37e3a43d06p-41, 0x1.764064df76bbap-40, 0x1.1735665b6c494p-35, -0x1.e4308530f8e0ep-34,
    -0x1.dc830b434b296p-31, 0x1.690f2e21dac17p-28, 0x1.0a59051fef2fbp-26, -0x1.7e8230eb4e395p-23,
    -0x1.928062a017461p-25, 0x1.252b9fa9931aap-18, -0x1.029491f4f2aap-17, -0x1.2dd162f02d362p-14,
    0x1.285c438763587p-12,  0x1.33468257ee864p-11, -0x1.50225bac5a88cp-8, 0x1.a6b5e7a9a6337p-9,
    0x1.6f5435a23c2cfp-5,   -0x1.d901af8ca5bcfp-4, -0x1.37f2839ad2183p-5, 0x1.137f2839ad218p-1};
// D(x) in [3/2, 3]
inline constexpr double dawson_near[] = {
    -0x1.428dbbdaaefacp-39, -0x1.e8f33ef2b0fc1p-40, 0x1.14e1edf3697a8p-34,  -0x1.e90e08cc8873bp-34,
    -0x1.c150ed92161d3p-31, 0x1.22833eb5b716ap-28,  0x1.e227f6d927d96p-32,  -0x1.17765216c33d1p-24,
    0x1.95b77e9ad7103p-23,  0x1.42dac8e2d59c7p-22,  -0x1.b4a0004703cc8p-19, 0x1.a5c4aa6508c1bp-18,
    0x1.09d72220050bbp-16,  -0x1.c920a9ede69aep-14, 0x1.86502e9590884p-13,  0x1.48c90e374e3ffp-12,
    -0x1.28c45d97dae83p-9,  0x1.3d4a234dd6828p-8,   -0x1.40fae0a914d43p-9,  -0x1.d05a5ed8d0d7fp-7,
    0x1.a397f90f4be58p-5,   -0x1.da9b2b4eac3d7p-4,  0x1.06b6292245a5cp-2};
// (2 x D(x) - 1) / z in z = 1/x^2, [1/25, 1/9]
inline constexpr double dawson_middle[] = {
    -0x1.8a04f8ec0f26cp-33, -0x1.1cec45558cd70p-35, 0x1.0767c9f73d6bcp-29,  -0x1.0e6757e2653ccp-29,
    -0x1.6a09f34c02209p-28, 0x1.eb65f02defccep-27,  -0x1.d66b50036e06bp-27, -0x1.9867c49028291p-27,
    0x1.93133253444f6p-24,  -0x1.bad21820d0ce4p-23, 0x1.5491e8840ccaap-24,  0x1.a5b90a3614904p-21,
    -0x1.1e8679c68b01fp-19, 0x1.964fddf25eab3p-21,  0x1.2158a2343e7c5p-17,  -0x1.2e05af2477f07p-16,
    -0x1.08714c6420a7ep-16, 0x1.af7ec216ee1a0p-14,  0x1.4c743e784d861p-17,  -0x1.06be5bb71b3fap-11,
    -0x1.937e6b74e7ef8p-12, 0x1.e135ccdeaf227p-10,  0x1.1287175c1807bp-7,   0x1.71c4cbc17c326p-5,
    0x1.24e81784ddce8p-1};
// (2 x D(x) - 1) / z in z = 1/x^2, [0, 1/25]
inline constexpr double dawson_far[] = {
    0x1.25a350bc99594p-36, -0x1.70d84a3b66391p-36, -0x1.394ca6b92e39ap-33, 0x1.7e98eb745874ap-34,
    0x1.309b494a9cf42p-31, 0x1.2baca216dea38p-35,  -0x1.353b7cbf527a1p-30, -0x1.ffa2a9f672faep-31,
    0x1.ffe4a2392a6ecp-32, 0x1.78e09dd7cd87ap-30,  0x1.e9fa16c5f8246p-30,  0x1.8aedc09206debp-29,
    0x1.a484e9621709ep-28, 0x1.1c678b9203c75p-26,  0x1.e798d723dbee5p-25,  0x1.056c61b34ded8p-22,
    0x1.5e9758db423e3p-20, 0x1.29dae67aaf82fp-17,  0x1.490014281cedbp-14,  0x1.ee0e7f0e032bbp-11,
    0x1.1146dcfad1935p-6,  0x1.0817f6934bae7p-1};
// (E1(x) + log x + gamma) / x in [0, 1/2]
inline constexpr double e1_near[] = {
    -0x1.819ccdeff78a8p-44, 0x1.0ced106f17441p-38, -0x1.55afacbde6cc2p-33, 0x1.88ef6f340e3cap-28,
    -0x1.9449377b698efp-23, 0x1.6f98f231270c6p-18, -0x1.232f10c288152p-13, 0x1.8bf2aaa0f094cp-9,
    -0x1.cae81dfac9ef9p-5,  0x1.e1b29a348c1c4p-1};
// E1(x) in [1/2, 1]
inline constexpr double e1_low[] = {
    -0x1.2690b9b455eedp-37, 0x1.c2ac7e50215f8p-36, -0x1.309ffcc55fa7ep-35, 0x1.f3d3cf07c3555p-34,
    -0x1.0339a1b008673p-31, 0x1.9aa98a877a80ep-30, -0x1.3e42a3262bb34p-28, 0x1.ffe210bcc0e41p-27,
    -0x1.9e8627b535fdbp-25, 0x1.50c816b2f1af4p-23, -0x1.138310defc956p-21, 0x1.c6988fd49de21p-20,
    -0x1.7ad4de69e5468p-18, 0x1.3fa381929c9ccp-16, -0x1.11f8fab2f3c06p-14, 0x1.df6561c7ae794p-13,
    -0x1.af0da75f99fb1p-11, 0x1.9197dcd5e701ep-9,  -0x1.842831c2590fep-7,  0x1.7836b622c4a53p-5,
    -0x1.427809d4a88ffp-3,  0x1.5c824d53ca88dp-2};
// x e^x E1(x) in 1/x, [1/4, 1]
inline constexpr double e1_middle[] = {
    0x1.b04bc5a7682d0p-33, -0x1.b3e22eb7ae786p-32, -0x1.9c2f6a0e4e8d4p-32, 0x1.5d1d9445725c2p-31,
    0x1.1aa53d048b2d6p-29, -0x1.19318d14c865fp-28, 0x1.f19ad4954d50ap-29,  -0x1.3545d53f069a4p-27,
    0x1.c68f220cd283ep-26, -0x1.042fff0ff99fbp-24, 0x1.2840923aab4b6p-23,  -0x1.6007279203517p-22,
    0x1.a887b3cbd4bd4p-21, -0x1.0355a9fb81a60p-19, 0x1.427981bfe7039p-18,  -0x1.99406686022f0p-17,
    0x1.09e4ca35abff6p-15, -0x1.634df20d275c9p-14, 0x1.eb1f5fc5426cfp-13,  -0x1.6203335638a85p-11,
    0x1.0d655b8d1cc68p-9,  -0x1.b943c68dca6afp-8,  0x1.92588c421cde9p-6,   -0x1.b6501a7b5163dp-4,
    0x1.5e32b9eab3a67p-1};
// x e^x E1(x) in 1/x, [0, 1/4]
inline constexpr double e1_far[] = {
    0x1.54cc4fc419e61p-31, -0x1.f2e2745855c47p-31, -0x1.709ce3dc88cd6p-29, 0x1.f4675c415dbe7p-29,
    0x1.c636445bcdbd6p-28, -0x1.2d0f19c646a4cp-27, -0x1.050f4df23cf2fp-27, 0x1.28fa1f9e67096p-27,
    0x1.8f219ad8a7352p-27, -0x1.19aa8b3d6eb49p-26, 0x1.5079bfd6975e4p-27,  -0x1.a5171a245cc60p-26,
    0x1.119ad6c062cd4p-24, -0x1.1dba1b079dfacp-23, 0x1.32cae770e4442p-22,  -0x1.5a4546bc976a2p-21,
    0x1.9485b6afb9639p-20, -0x1.eb37745e734d0p-19, 0x1.383924587f767p-17,  -0x1.a2c61ed82b682p-16,
    0x1.2b63bd8061a2ep-14, -0x1.cedc4f9d0ed55p-13, 0x1.8acf225f73beap-11,  -0x1.7f52de4f536d5p-9,
    0x1.be40fdb08d025p-7,  -0x1.589cebb3ba184p-4,  0x1.cbe5bc299b793p-1};
// (Ei(x) - log x - gamma) / (x e^(x/2)) in [0, 6]
inline constexpr double ei_near[] = {
    0x1.254cc05423151p-40, -0x1.471bdaa639786p-37, 0x1.0a7a9e0285ceep-33, -0x1.f9c62c37a1e11p-31,
    0x1.81bc8b06cc87ep-27, -0x1.2fb62c0e7d935p-24, 0x1.9f0f620c07df4p-21, -0x1.04b6e77a08f4ep-18,
    0x1.3ba9632fb0ddfp-15, -0x1.2a8071e2590f3p-13, 0x1.3bc3a0d4fa3a1p-10, -0x1.9910ad4ad2129p-9,
    0x1.7433568e4382dp-6,  -0x1.14f4922f2bcc5p-5,  0x1.ab90f52d8a9c5p-3,  -0x1.db16dea9cb245p-4,
    0x1.3a78dac8513fbp-1};
// Ei(x) / (x - x0), x0 its zero, in [1/4, 1/2]
inline constexpr double ei_root[] = {
    0x1.20b15b2c5b2c1p-34, -0x1.b9bbaff41e7d7p-33, 0x1.3cbca4ee686e7p-32, -0x1.02e12b37ac90ep-30,
    0x1.036e89af3862fp-28, -0x1.9b4968d2bba36p-27, 0x1.407b33668003fp-25, -0x1.01aef7952c804p-23,
    0x1.a113a7773402ep-22, -0x1.52d9150868adap-20, 0x1.1533a2534e16fp-18, -0x1.c95c46aa05ea7p-17,
    0x1.7d1c8f696fc80p-15, -0x1.4189fbbe0c272p-13, 0x1.139451091f6b7p-11, -0x1.e23424d3e782ap-10,
    0x1.b1f400299063cp-8,  -0x1.964179c2f98d6p-6,  0x1.9b4a7e5db8b85p-4,  -0x1.9fea222648d0cp-2,
    0x1.f1ac7c6f66e76p+1};
// x e^-x Ei(x) in 1/x, from x = 6 to 12
inline constexpr double ei_6[] = {
    0x1.e1cefd0b22678p-35,  -0x1.ebdad3348960dp-33, 0x1.32d420eb6a5c1p-32,  0x1.3e0f9a1646a5dp-31,
    -0x1.4731fe426bc83p-28, 0x1.210e813a194a0p-26,  -0x1.0683eaf4fd924p-25, -0x1.fd4b875c98ea9p-26,
    0x1.c7d56a1a55c02p-22,  -0x1.83f428fe720b7p-20, 0x1.80c258fe13206p-20,  0x1.34968f6483470p-17,
    -0x1.7e1c5b870b3e0p-15, 0x1.60d2068525866p-15,  0x1.8743951fde2c3p-12,  -0x1.27254bd859a1cp-10,
    -0x1.b7890d409e384p-9,  0x1.4cd5ae74c121fp-7,   0x1.74a603b8ee2c8p-4,   0x1.2e8d96f4f4181p+0};
// x e^-x Ei(x) in 1/x, from x = 12 to 24
inline constexpr double ei_12[] = {
    0x1.69d022a8ae3e7p-38,  -0x1.b937b6d6a696dp-38, -0x1.c2061de7125dfp-35, 0x1.6f59f08587351p-33,
    0x1.246af7222e12ep-35,  -0x1.b542699c0ae32p-30, 0x1.f8d00c1e34552p-29,  0x1.e95ab3a70a356p-28,
    -0x1.aa58174f779b8p-25, 0x1.152758f84add1p-28,  0x1.084bc51ee544dp-21,  -0x1.e43529fe77841p-23,
    -0x1.5a4b425c249d2p-18, -0x1.688f4f488e8b8p-18, 0x1.4c49757fa8778p-15,  0x1.197165f91f279p-12,
    0x1.fca3996086626p-10,  0x1.d12acaa903032p-6,   0x1.1285334ccb79ep+0};
// x e^-x Ei(x) in 1/x, from x = 24 to 48
inline constexpr double ei_24[] = {
    0x1.b141d05278d12p-41, 0x1.8e12e0a0bf514p-41, -0x1.4869e7d34e26ap-37, -0x1.00faf9a5bb01ep-35,
    0x1.073d1171dc258p-40, 0x1.44b441f6a3ba6p-32, 0x1.c4e2684cc53b0p-30,  0x1.3419b26c9ecd3p-27,
    0x1.23936bf40443bp-24, 0x1.973d6bfb6777ep-21, 0x1.9d6dc26e6b4f1p-17,  0x1.39724f5f197afp-12,
    0x1.87415a042f5b8p-7,  0x1.088dca958d327p+0};
// x e^-x Ei(x) in 1/x, from x = 48
inline constexpr double ei_48[] = {
    0x1.6fe2cb622cc35p-45, 0x1.1e6d72d70cac3p-42, 0x1.e02654e55d559p-40, 0x1.f9517cde5bf49p-37,
    0x1.342c7e6f350fcp-33, 0x1.b9394ddbcd2b9p-30, 0x1.7aa9b6696fc18p-26, 0x1.9042dc021d957p-22,
    0x1.0f20c79b91049p-17, 0x1.f5ac9add7fc97p-13, 0x1.644309ce9ce0dp-7,  0x1.02b95a567023ap+0};
// Si(x) / x in x^2, [0, 16]
inline constexpr double si_near[] = {
    0x1.e07ad009b004fp-41, -0x1.adbb0a54430cbp-35, 0x1.3b61d77be5c02p-29, -0x1.74583fefc28fdp-24,
    0x1.57fcad05cffe5p-19, -0x1.e0a04a951135ap-15, 0x1.e583838411af9p-11, -0x1.4d9bbee8c8080p-7,
    0x1.1e887724d658ep-4,  -0x1.14774a496bda7p-2,  0x1.4c3ba09d01a0dp-1};
// (Ci(x) - log x - gamma) / x^2 in x^2, [0, 4]
inline constexpr double ci_near[] = {
    -0x1.32c4dbb61135dp-49, 0x1.9aef5f76803f5p-42,  -0x1.b63e51fba8bf7p-35,
    0x1.697e3513d7bb4p-28,  -0x1.bc5f8857a1087p-22, 0x1.836dc4705ab14p-16,
    -0x1.bfccf116b2587p-11, 0x1.382ee5e1b7bcdp-6,   -0x1.d72e02a22534cp-3};
// Ci(x) / (x - x0), x0 its first zero, in [1/2, 1]
inline constexpr double ci_root[] = {
    0x1.298cac507d659p-38, -0x1.c5254e7fc0cc4p-37, 0x1.1a63609bf82e8p-36, -0x1.cee67037353dp-35,
    0x1.f4159b186e3c6p-33, -0x1.88f21526c929dp-31, 0x1.2bc6d4fd277adp-29, -0x1.dde74ae328629p-28,
    0x1.7f63a41903226p-26, -0x1.33c9d0e332756p-24, 0x1.f09a62de45963p-23, -0x1.9307e1c4ff105p-21,
    0x1.495112fc218e4p-19, -0x1.0f42cad287af2p-17, 0x1.c3414fdd213a9p-16, -0x1.7be0e80a9c2c8p-14,
    0x1.44b145996e6fp-12,  -0x1.1b1f068c861cap-10, 0x1.fa9b393a9348cp-9,  -0x1.d3cdedde9e49fp-7,
    0x1.e2036e4bdb60fp-5,  -0x1.3b01863d6d41dp-2,  0x1.23cd266bcfb9dp+0};
// Ci(x) / (x - x1), x1 its second zero, in [2, 4]
inline constexpr double ci_second[] = {
    0x1.b752089b82871p-41, -0x1.4eb746c286fe8p-39, 0x1.a2259aaf04931p-39,  -0x1.56ef48b19b469p-37,
    0x1.725cfd73630cep-35, -0x1.2345265a897fp-33,  0x1.bcec695ac773dp-32,  -0x1.63064e12ce9d8p-30,
    0x1.1d255bf604266p-28, -0x1.ca6d75f4f56eap-27, 0x1.7262f875be01cp-25,  -0x1.2d80dd70b4f02p-23,
    0x1.ee03916d64561p-22, -0x1.9092482bac1a5p-20, 0x1.4bf9f847755e4p-18,  -0x1.4c2c93054403dp-16,
    0x1.28ec87b7f1a96p-14, -0x1.2e8c4b5e3f18cp-16, -0x1.4c9ad8caec24fp-14, -0x1.4a05d346f1975p-7,
    0x1.698d7cc2a3e9dp-5,  0x1.8cc83e1692969p-5,   -0x1.3edce9f36fef1p-2};
// x f(x) in 1/x^2, [1/64, 1/16]; f and g are the auxiliary functions of Si and Ci (DLMF 6.2(iii))
inline constexpr double si_f_middle[] = {
    -0x1.3ee827f490e9fp-35, 0x1.436ab9e644a85p-34, 0x1.5befac4c5f504p-35,  -0x1.e2059b52c6835p-35,
    -0x1.969a2512d37c4p-32, 0x1.aaba4fdab5c3fp-31, -0x1.38c3a7547c4d4p-30, 0x1.831621ea80dfep-29,
    -0x1.ff2d2d759a7d1p-28, 0x1.3c0cc437e9530p-26, -0x1.8f720f1027788p-25, 0x1.05ac711c5e56ap-23,
    -0x1.6296c2eaf0237p-22, 0x1.f41a015995d24p-21, -0x1.728ae09d986e1p-19, 0x1.242a25d97ee0fp-17,
    -0x1.f38e214dbb97cp-16, 0x1.dcd2c5e31da92p-14, -0x1.0b094b68c83f0p-11, 0x1.823fa51f3a50cp-9,
    -0x1.c3b3f8f754c55p-6,  0x1.e2352e10ee080p-1};
// x^2 g(x) in 1/x^2, [1/64, 1/16]
inline constexpr double si_g_middle[] = {
    -0x1.9b6a471559eadp-34, 0x1.921cfbca79ee2p-33, 0x1.8632462dc739ap-33,  -0x1.3d8e43852cdc3p-32,
    -0x1.ea8f37c17cef5p-31, 0x1.dac1a0b7eb3cfp-30, -0x1.9dcdad1227240p-30, 0x1.017caded9a4aap-28,
    -0x1.7583028cb1da2p-27, 0x1.abec3134b0effp-26, -0x1.ebe986f49a86ap-25, 0x1.280724a846378p-23,
    -0x1.6c2e70e8fc8b4p-22, 0x1.ca46d75a147dcp-21, -0x1.28c941ea4ea24p-19, 0x1.8dddcb5beb82dp-18,
    -0x1.1605323a32c23p-16, 0x1.9929178b5728ap-15, -0x1.41aebb1594b02p-13, 0x1.143dc2a4dc52ap-11,
    -0x1.0ca31c3061bb6p-9,  0x1.3be9bf4587a12p-7,  -0x1.024f0da85332fp-4,  0x1.b327c421d5338p-1};
// x f(x) in 1/x^2, [0, 1/64]
inline constexpr double si_f_far[] = {
    0x1.6c69aa87adccbp-31, -0x1.99f4bb1c203fep-31, -0x1.dae7e64d60832p-29, 0x1.f7f24fbf6415cp-29,
    0x1.2248cda73d03ep-27, -0x1.252cecab10490p-27, -0x1.9cdba95252185p-27, 0x1.8673ec98d0382p-27,
    0x1.8eb7ceb50c1d6p-27, -0x1.69e0d0a13866fp-27, -0x1.c22c7503a1cc9p-28, 0x1.459d3d280d9b8p-28,
    0x1.7b6964d5c0080p-28, -0x1.d4b7b208fb45ap-28, 0x1.0769372a63d45p-27,  -0x1.247d2016b2580p-26,
    0x1.484126638f275p-25, -0x1.740b4ab0b4a87p-24, 0x1.c474a55a86470p-23,  -0x1.2b744a26918cap-21,
    0x1.b7cc4be3e19bep-20, -0x1.7152257262daep-18, 0x1.735cf84d282f6p-16,  -0x1.e213c0124777ep-14,
    0x1.cec8a70cb3086p-11, -0x1.b67e284ef21fcp-7,  0x1.f89f4f0dc5636p-1};
// x^2 g(x) in 1/x^2, [0, 1/64]
inline constexpr double si_g_far[] = {
    0x1.62c82eb6ce919p-27, -0x1.71bc3ed16db9fp-27, -0x1.1bd27ef025c5ep-24, 0x1.1adff9ca14e1dp-24,
    0x1.a2d9dc3fcd871p-23, -0x1.8f88f68803e83p-23, -0x1.72cc0d40bc5c3p-22, 0x1.50eeb1ab47379p-22,
    0x1.b712e2107a616p-22, -0x1.7b19b8ba6fdc7p-22, -0x1.697e388acaf44p-22, 0x1.24df4dddb5e9dp-22,
    0x1.b5f260c9153bdp-23, -0x1.53a84437dcb2dp-23, -0x1.483adfbbc51aap-24, 0x1.7a02e6579eb44p-25,
    0x1.dfb4f7ce0c342p-25, -0x1.2fdf79953838ep-24, 0x1.9b912f691d87ep-24,  -0x1.a554bf6f0e49ep-23,
    0x1.b85c95c02c0b3p-22, -0x1.da6ede0928fefp-21, 0x1.0fcabd5ede3f8p-19,  -0x1.4f3b62ac928bep-18,
    0x1.c4a47a6e60eb1p-17, -0x1.56e46048b47fbp-15, 0x1.2e5eecd36eaf2p-13,  -0x1.48fa09f81e002p-11,
    0x1.e8171ccc2196cp-9,  -0x1.2bf213ca6a924p-5,  0x1.eaeb5dcb4dd29p-1};
// f(x) in [5/4, 9/4]; f and g are the auxiliary functions of the Fresnel integrals (DLMF 7.2(iv))
inline constexpr double fresnel_f_middle[] = {
    -0x1.76ba641cca016p-43, 0x1.c23f77d6d9578p-40,  -0x1.58829081af255p-37, 0x1.852f72aaf94bdp-35,
    -0x1.f6a046522a2b5p-34, -0x1.4da080a3b3653p-32, 0x1.ba44ed641018ep-28,  -0x1.be3f03322346p-25,
    0x1.450d2e81cb4bcp-22,  -0x1.73d65e7129b35p-20, 0x1.44e19a24752c4p-18,  -0x1.55baf05852941p-17,
    -0x1.0bff76192ac9ep-16, 0x1.4e0785efddf73p-12,  -0x1.1a8c9a55f73bap-9,  0x1.63b3e60d5ac43p-7,
    -0x1.7b3e1df81f7ffp-5,  0x1.6b0b660b021bep-3};
// g(x) in [5/4, 9/4]
inline constexpr double fresnel_g_middle[] = {
    -0x1.c0b8479af4928p-48, 0x1.8ec0b38fe7b79p-45,  -0x1.bb95ff41ec0b8p-43, 0x1.13ea511686655p-41,
    0x1.2bf91e0c2f58ap-39,  -0x1.5b1eba98875f9p-35, 0x1.64f61df29daap-32,   -0x1.08aebcb538608p-29,
    0x1.289c0865b176dp-27,  -0x1.b7684bb4e4p-26,    -0x1.549b9306dc6fcp-31, 0x1.6446817330b97p-21,
    -0x1.84abe568a0faep-18, 0x1.20673d7ffba73p-15,  -0x1.56d6d416e7dfp-13,  0x1.54c67b457addp-11,
    -0x1.1cd96a88c6d27p-9,  0x1.882950a6f0535p-8,   -0x1.a077c0e9d3d04p-7,  0x1.13ec813e20472p-6};
// pi x f(x) in 1/x^4, x from 9/4
inline constexpr double fresnel_f_far[] = {
    -0x1.41622311b4bcdp-33, 0x1.81561e0eb8d1cp-33, 0x1.58042f7bdf3a7p-31,  -0x1.7e0b84a7c8a15p-31,
    -0x1.6aaed94f43087p-30, 0x1.80c9f8c44911bp-30, 0x1.9708b9a0c76d5p-30,  -0x1.80622110d92d1p-30,
    -0x1.7f907e0c827c7p-30, 0x1.9407c7528b5c0p-30, -0x1.896478ad7e412p-33, 0x1.212e914d0d42bp-30,
    -0x1.d518d12d406bdp-29, 0x1.ef7807f186801p-28, -0x1.1a5ac052e56cbp-26, 0x1.6284d2499b4b2p-25,
    -0x1.e5ad7841016fbp-24, 0x1.7388ac8884bdcp-22, -0x1.486b84c3af627p-20, 0x1.6130b22d47c55p-18,
    -0x1.f7901b052e652p-16, 0x1.174757a791573p-12, -0x1.59d060593504bp-8,  0x1.fd249bc28b50bp-1};
// pi^2 x^3 g(x) in 1/x^4, x from 9/4
inline constexpr double fresnel_g_far[] = {
    0x1.b1b6dd9267331p-29, -0x1.d363c3ce523d7p-29, -0x1.3b9d42be35374p-26, 0x1.4369d29b92d72p-26,
    0x1.a962cd11ca267p-25, -0x1.9fd5e070df19cp-25, -0x1.5448120a11b93p-24, 0x1.3aebe1c454203p-24,
    0x1.6b3c8bb939dfbp-24, -0x1.3eef8cb030693p-24, -0x1.04246e51cc097p-24, 0x1.a1e7c903f7f97p-25,
    0x1.2c9a5b5748234p-25, -0x1.fdeed78f8479fp-26, -0x1.d450237cafa9fp-30, -0x1.63cc55d6c0a59p-27,
    0x1.49a527deb6d4ap-25, -0x1.37fc7bffa89d3p-24, 0x1.3d02c20c57383p-23,  -0x1.5edacc9657afdp-22,
    0x1.9d3df543a8cfbp-21, -0x1.06c0c684ccd5dp-19, 0x1.700afc0ff8aa0p-18,  -0x1.23ba31d094db6p-16,
    0x1.10a2226bf8ad4p-14, -0x1.40d8e939081c9p-12, 0x1.0afac0144edfbp-9,   -0x1.8d5b8d7a9219bp-6,
    0x1.f25618bfc1a84p-1};
}  // namespace weft::math::detail
