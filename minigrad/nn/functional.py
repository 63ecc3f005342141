"""The functions that layers are made of, under PyTorch's names. PyTorch: torch.nn.functional."""

from minigrad.nn.inplace import (
    celu as celu,
    celu_ as celu_,
    elu as elu,
    elu_ as elu_,
    hardsigmoid as hardsigmoid,
    hardswish as hardswish,
    hardtanh as hardtanh,
    hardtanh_ as hardtanh_,
    leaky_relu as leaky_relu,
    leaky_relu_ as leaky_relu_,
    mish as mish,
    relu as relu,
    relu6 as relu6,
    relu_ as relu_,
    selu as selu,
    selu_ as selu_,
    silu as silu,
    threshold as threshold,
    threshold_ as threshold_,
)
from minigrad.nn.noise import (
    alpha_dropout as alpha_dropout,
    dropout as dropout,
    dropout1d as dropout1d,
    dropout2d as dropout2d,
    dropout3d as dropout3d,
    feature_alpha_dropout as feature_alpha_dropout,
    gumbel_softmax as gumbel_softmax,
    rrelu as rrelu,
    rrelu_ as rrelu_,
)
from minigrad.nn.resampling import (
    channel_shuffle as channel_shuffle,
    lp_pool1d as lp_pool1d,
    lp_pool2d as lp_pool2d,
    lp_pool3d as lp_pool3d,
    max_unpool1d as max_unpool1d,
    max_unpool2d as max_unpool2d,
    max_unpool3d as max_unpool3d,
    upsample as upsample,
)
from minigrad.ops.activations import (
    gelu as gelu,
    glu as glu,
    hardshrink as hardshrink,
    prelu as prelu,
    softshrink as softshrink,
    softsign as softsign,
    tanhshrink as tanhshrink,
)
from minigrad.ops.attention import scaled_dot_product_attention as scaled_dot_product_attention
from minigrad.ops.convolution import (
    conv1d as conv1d,
    conv2d as conv2d,
    conv3d as conv3d,
    conv_transpose1d as conv_transpose1d,
    conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d,
    fold_columns as fold,  # noqa: F401
    unfold_columns as unfold,  # noqa: F401
)
from minigrad.ops.distances import (
    cosine_similarity as cosine_similarity,
    pairwise_distance as pairwise_distance,
)
from minigrad.ops.embedding import embedding as embedding, one_hot as one_hot
from minigrad.ops.exponential import logsigmoid as logsigmoid, sigmoid as sigmoid, softplus as softplus
from minigrad.ops.losses import (
    binary_cross_entropy as binary_cross_entropy,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    cosine_embedding_loss as cosine_embedding_loss,
    cross_entropy as cross_entropy,
    gaussian_nll_loss as gaussian_nll_loss,
    hinge_embedding_loss as hinge_embedding_loss,
    huber_loss as huber_loss,
    kl_div as kl_div,
    l1_loss as l1_loss,
    margin_ranking_loss as margin_ranking_loss,
    mse_loss as mse_loss,
    multi_margin_loss as multi_margin_loss,
    multilabel_margin_loss as multilabel_margin_loss,
    multilabel_soft_margin_loss as multilabel_soft_margin_loss,
    nll_loss as nll_loss,
    poisson_nll_loss as poisson_nll_loss,
    smooth_l1_loss as smooth_l1_loss,
    soft_margin_loss as soft_margin_loss,
    triplet_margin_loss as triplet_margin_loss,
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
)
from minigrad.ops.matmul import bilinear as bilinear, linear as linear
from minigrad.ops.normalization import (
    batch_norm as batch_norm,
    group_norm as group_norm,
    instance_norm as instance_norm,
    layer_norm as layer_norm,
    local_response_norm as local_response_norm,
    normalize as normalize,
    rms_norm as rms_norm,
)
from minigrad.ops.padding import pad as pad
from minigrad.ops.pooling import (
    adaptive_avg_pool1d as adaptive_avg_pool1d,
    adaptive_avg_pool2d as adaptive_avg_pool2d,
    adaptive_avg_pool3d as adaptive_avg_pool3d,
    adaptive_max_pool1d as adaptive_max_pool1d,
    adaptive_max_pool2d as adaptive_max_pool2d,
    adaptive_max_pool3d as adaptive_max_pool3d,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
)
from minigrad.ops.resizing import (
    interpolate as interpolate,
    pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle,
)
from minigrad.ops.softmax import log_softmax as log_softmax, softmax as softmax, softmin as softmin
from minigrad.ops.trigonometry import tanh as tanh
